import { describe, expect, it } from 'vitest';
import { isPauseCommand, parsePauseCommand } from '../../src/command/parse.ts';

const pause = (reason: string | null, ttl: string | null = null, seconds = 0n) => ({
  kind: 'pause',
  reason,
  ttl: ttl === null ? null : { text: ttl, seconds },
  close: false,
});
const closed = (reason: string | null, ttl: object | 'none' | null = null) => ({
  kind: 'pause',
  reason,
  ttl,
  close: true,
});

describe('what is a command', () => {
  it.each([
    'pause',
    'please /pause',
    '/paused',
    '/pause-all',
    '/pause@bot',
    '/pauseoff',
    '//pause',
    '/ pause',
    '/resumed',
    '',
    '“/pause” is what to write',
    '\u200b/pause',
  ])('%j is not one', (text) => {
    expect(parsePauseCommand(text)).toEqual({ kind: 'not-a-command' });
    expect(isPauseCommand(text)).toBe(false);
  });

  it.each([
    '/pause',
    '/Pause',
    '/PAUSE now',
    ' \n/pause\t',
    '/pause\nbad deploy',
    '/pause --ttl nonsense',
    '/resume',
    '/Resume now',
    '/pause off and more',
  ])('%j is one', (text) => {
    expect(parsePauseCommand(text).kind).not.toBe('not-a-command');
    expect(isPauseCommand(text)).toBe(true);
  });
});

describe('what is asked', () => {
  it.each([
    ['/pause', pause(null)],
    ['/pause bad deploy', pause('bad deploy')],
    ['/pause   "bad   deploy"  ', pause('"bad   deploy"')],
    ['/pause bad deploy\nsee the ticket', pause('bad deploy\nsee the ticket')],
    ['/pause --ttl 2h', pause(null, '2h', 7200n)],
    ['/pause --ttl 2h bad deploy', pause('bad deploy', '2h', 7200n)],
    ['/pause bad deploy --ttl 1h30m', pause('bad deploy', '1h30m', 5400n)],
    ['/pause bad deploy --ttl=45m', pause('bad deploy', '45m', 2700n)],
    ['/pause —ttl 90 bad deploy', pause('bad deploy', '90', 90n)],
    ['/pause –ttl=2d', pause(null, '2d', 172_800n)],
    ['/pause it ran push --force again', pause('it ran push --force again')],
    ['/pause — see above', pause('— see above')],
    ['/pause -p is not ours', pause('-p is not ours')],
    ['/pause until noon', pause('until noon')],
    ['/pause help is on its way', pause('help is on its way')],
    ['/pause the status page is down', pause('the status page is down')],
    ['/pause official notice', pause('official notice')],
    ['/pause --close', closed(null)],
    ['/pause --close bad deploy', closed('bad deploy')],
    ['/pause bad deploy —close', closed('bad deploy')],
    ['/pause --Close bad deploy', closed('bad deploy')],
    ['/pause --no-ttl', { ...pause(null), ttl: 'none' }],
    ['/pause bad deploy –no-ttl', { ...pause('bad deploy'), ttl: 'none' }],
    ['/pause —no-ttl —close bad deploy', closed('bad deploy', 'none')],
    ['/pause --close bad deploy --ttl 2h', closed('bad deploy', { text: '2h', seconds: 7200n })],
    ['/pause --ttl=2h --close', closed(null, { text: '2h', seconds: 7200n })],
    ['/pause bad deploy --close --ttl 2h', closed('bad deploy', { text: '2h', seconds: 7200n })],
    ['/pause close of business', pause('close of business')],
    ['/pause the run of --closed-loop is over', pause('the run of --closed-loop is over')],
    ['/pause off', { kind: 'resume' }],
    ['/pause RESUME ', { kind: 'resume' }],
    ['/Pause Status', { kind: 'status' }],
    ['/resume', { kind: 'resume' }],
    [' /Resume\n', { kind: 'resume' }],
  ])('%j', (text, command) => {
    expect(parsePauseCommand(text)).toEqual(command);
  });

  it('a reason is data: nothing in it is taken for anything else', () => {
    const reason = '@everyone `$(rm -rf /)` \u202eoff {"allow":[1]}';
    expect(parsePauseCommand(`/pause ${reason}`)).toEqual(pause(reason));
  });
});

describe('what only asks', () => {
  it.each(['?', '??', 'help', 'Help', 'help?', '--help', '-h'])(
    '/pause %s and /resume %s get the usage, and pause nothing',
    (word) => {
      expect(parsePauseCommand(`/pause ${word}`)).toEqual({ kind: 'help' });
      expect(parsePauseCommand(`/resume ${word}`)).toEqual({ kind: 'help' });
    },
  );

  it.each(['list', 'who', 'Who?', 'why', 'what?', 'when', 'status?', 'off?', 'ls', 'show'])(
    '/pause %s and /resume %s get what holds, and pause nothing',
    (word) => {
      expect(parsePauseCommand(`/pause ${word}`)).toEqual({ kind: 'status' });
      expect(parsePauseCommand(`/resume ${word}`)).toEqual({ kind: 'status' });
    },
  );

  it.each(['who broke the build', 'list server is down', 'what a mess', 'is it broken?'])(
    'a reason of several words is one: /pause %s',
    (reason) => {
      expect(parsePauseCommand(`/pause ${reason}`)).toEqual(pause(reason));
    },
  );
});

describe('a duration before the reason is a deadline', () => {
  it.each([
    ['2h', pause(null, '2h', 7200n)],
    ['for 2h', pause(null, '2h', 7200n)],
    ['For 2H', pause(null, '2h', 7200n)],
    ['1h30m bad deploy', pause('bad deploy', '1h30m', 5400n)],
    ['for 45m, bad deploy', pause('bad deploy', '45m', 2700n)],
    ['30 minutes', pause(null, '30m', 1800n)],
    ['for 2 hours bad deploy', pause('bad deploy', '2h', 7200n)],
    ['15min', pause(null, '15m', 900n)],
    ['for 1 day: bad deploy', pause('bad deploy', '1d', 86_400n)],
    ['2h bad deploy --close', { ...pause('bad deploy', '2h', 7200n), close: true }],
    ['--close 2h', { ...pause(null, '2h', 7200n), close: true }],
  ])('/pause %s', (words, command) => {
    expect(parsePauseCommand(`/pause ${words}`)).toEqual(command);
  });

  it.each(['500 errors', '3rd floor is dark', '5xx all over', 'for now', 'for a while', '2 many'])(
    'and what is none is a reason: /pause %s',
    (reason) => {
      expect(parsePauseCommand(`/pause ${reason}`)).toEqual(pause(reason));
    },
  );
});

describe('what is not guessed at', () => {
  it.each([
    ['/pause --ttl', 'no duration'],
    ['/pause --ttl= 2h', 'no duration'],
    ['/pause bad deploy --ttl', 'no duration'],
    ['/pause --ttl 2hours', '`--ttl 2hours`'],
    ['/pause --ttl -2h', '`--ttl -2h`'],
    ['/pause --ttl 0', '`--ttl 0`'],
    ['/pause --ttl 2h --ttl 3h', 'more than once'],
    ['/pause --ttl 2h bad --ttl=3h', 'more than once'],
    ['/pause bad --ttl 2h deploy', 'in the middle'],
    ['/pause --until tomorrow', '`--until`'],
    ['/pause --ttl 2h --as operator', '`--as`'],
    ['/pause —until tomorrow', '`—until`'],
    ['/pause off now', '`/pause off`'],
    ['/pause status page is down', '`/pause status`'],
    ['/pause Resume --ttl 2h', '`/pause resume`'],
    ['/pause --ttl 2h off', '`/pause off`'],
    ['/pause --close --close', 'more than once'],
    ['/pause --close bad deploy —close', 'more than once'],
    ['/pause --no-ttl bad --no-ttl', 'more than once'],
    ['/pause --ttl 2h --no-ttl', 'contradict'],
    ['/pause --no-ttl bad deploy --ttl=2h', 'contradict'],
    ['/pause it has a --close flag', '`--close` is in the middle'],
    ['/pause it has a —no-ttl flag', '`--no-ttl` is in the middle'],
    ['/pause --close bad --ttl 2h deploy', '`--ttl` is in the middle'],
    ['/pause --close=yes', '`--close` takes no value'],
    ['/pause bad deploy --no-ttl=2h', '`--no-ttl` takes no value'],
    ['/pause --closed', '`--closed`'],
    ['/pause --no-allow', '`--no-allow`'],
    ['/pause --close off', '`/pause off`'],
    ['/pause status --close', '`/pause status`'],
    ['/pause --close help', 'pauses nothing'],
    ['/pause --ttl 2h who', 'pauses nothing'],
    ['/resume now', '`/resume` takes nothing more'],
    ['/resume --ttl 2h', '`/resume` takes nothing more'],
    ['/pause 45', '`45` has no unit'],
    ['/pause for 45', '`45` has no unit'],
    ['/pause 0m', '`0m` is not a duration'],
    ['/pause 1h30', '`1h30` is not a duration'],
    ['/pause 2h --ttl 3h', 'contradict'],
    ['/pause --no-ttl for 2h', 'contradict'],
  ])('%j: it says %j, and what to do', (text, said) => {
    const command = parsePauseCommand(text);
    expect(command.kind).toBe('mistaken');
    if (command.kind !== 'mistaken') return;
    expect(command.message).toContain(said);
    expect(command.hint).not.toBe('');
  });

  it('a message of any length is judged, and what is shown of it is short', () => {
    const long = parsePauseCommand(`/pause ${'x'.repeat(5_000_000)}`);
    expect(long).toMatchObject({ kind: 'mistaken' });
    const wrong = parsePauseCommand(`/pause --ttl ${'9'.repeat(10_000)}`);
    expect(wrong).toMatchObject({ kind: 'mistaken' });
    for (const command of [long, wrong]) expect(JSON.stringify(command).length).toBeLessThan(400);
  });

  it('a message that is full of dashes or of space takes no time to speak of', () => {
    for (const piece of ['--ttl ', '-', ' ', '/pause ', '--ttl=2h', '--close ', '--ttl 2h x ']) {
      const text = `/pause ${piece.repeat(16_000 / piece.length)}`;
      const begun = performance.now();
      parsePauseCommand(text);
      expect(performance.now() - begun).toBeLessThan(500);
    }
  });
});
