/** The keys of `fleet.yaml`, and the problems of everything else. */
import { describe, expect, it } from 'vitest';
import { describeProblem } from '../../src/index.ts';
import { outline, problemOf, problemsOf, settingsFolder, settingsOf } from '../settings-folder.ts';

const { dir, readFleet } = settingsFolder();

const EVERYTHING = `# All there is.
version: 1
access: { group: ops }
observe: native
policies:
  require_reason: true
  require_ttl_for: [ci-*, bot]
  max_ttl: 1h30m
watcher:
  sweep: 5s
  http: { enabled: false, port: 0, hosts: [Fleet.example, '[fd00::1]'] }
  webhooks:
    - url: https://example.org/hook?fleet=a
      secret_file: .fleet/hook.secret
      events: [hold.*, '*']
    - url: http://127.0.0.1:8080
      secret_file: /etc/fleet/secret
`;

describe('fleet.yaml is read', () => {
  it('with everything it may say, durations as their text and in milliseconds', async () => {
    const file = await readFleet(EVERYTHING);
    expect(file).toMatchObject({ state: 'read', path: `${dir}/fleet.yaml` });
    expect(settingsOf(file)).toEqual({
      version: 1,
      access: { group: 'ops' },
      observe: 'native',
      policies: {
        require_reason: true,
        require_ttl_for: ['ci-*', 'bot'],
        max_ttl: { text: '1h30m', ms: 5_400_000 },
      },
      watcher: {
        sweep: { text: '5s', ms: 5_000 },
        http: { enabled: false, port: 0, hosts: ['Fleet.example', '[fd00::1]'] },
        webhooks: [
          {
            url: 'https://example.org/hook?fleet=a',
            secret_file: '.fleet/hook.secret',
            events: ['hold.*', '*'],
          },
          { url: 'http://127.0.0.1:8080', secret_file: '/etc/fleet/secret' },
        ],
      },
    });
  });

  it('with nothing but its version, and nothing is filled in', async () => {
    expect(settingsOf(await readFleet('version: 1\n'))).toEqual({ version: 1 });
    const text = 'version: 1\npolicies: {}\nwatcher: { webhooks: [] }\n';
    const settings = { version: 1, policies: {}, watcher: { webhooks: [] } };
    expect(settingsOf(await readFleet(text))).toEqual(settings);
  });

  it.each([
    ['90', 90_000],
    ['"90"', 90_000],
    ['010', 10_000],
    ['2 h', 7_200_000],
    ['1d1s', 86_401_000],
  ])('with a deadline of at most %s', async (text, ms) => {
    const { policies } = settingsOf(await readFleet(`version: 1\npolicies: { max_ttl: ${text} }`));
    expect(policies?.max_ttl?.ms).toBe(ms);
  });

  it.each(['1s', '10m', '600'])('with a sweep of %s', async (text) => {
    const { watcher } = settingsOf(await readFleet(`version: 1\nwatcher: { sweep: ${text} }`));
    expect(watcher?.sweep?.text).toBe(text);
  });
});

describe('fleet.yaml is refused where it says something else', () => {
  it.each([
    ['nothing at all', '', 'invalid-value 1:1'],
    ['nothing but a comment', '# later\n', 'invalid-value 1:1'],
    ['a word', 'paused\n', 'invalid-value 1:1'],
    ['a list', '\n- version: 1\n', 'invalid-value 2:1'],
    ['no version', '\npolicies: {}\n', 'missing-key 2:1 version'],
    ['no number for a version', 'version: one\n', 'invalid-value 1:10 version'],
    ['a version in quotes', 'version: "1"\n', 'invalid-value 1:10 version'],
    ['no value for a version', 'version:\n', 'invalid-value 1:1 version'],
    ['half a version', 'version: 1.5\n', 'invalid-value 1:10 version'],
    [
      'a later version, whose keys are not judged',
      'version: 2\nx: y\n',
      'unknown-version 1:10 version',
    ],
  ])('%s', async (_title, text, expected) => {
    expect(outline(await readFleet(text))).toEqual([expected]);
  });

  it.each([
    ['access: ops', '2:9 access'],
    ['access: { group: 1000 }', '2:18 access.group'],
    ['access: { group: "" }', '2:18 access.group'],
    ['access: { group: " ops" }', '2:18 access.group'],
    ['observe: Native', '2:10 observe'],
    ['observe: [native]', '2:10 observe'],
    ['policies:\n  # max_ttl: 8h\nobserve: auto', '2:1 policies'],
    ['policies: { require_reason: yes }', '2:29 policies.require_reason'],
    ['policies: { require_reason: 1 }', '2:29 policies.require_reason'],
    ['policies: { require_ttl_for: ci-* }', '2:30 policies.require_ttl_for'],
    ['policies: { require_ttl_for: [7] }', '2:31 policies.require_ttl_for[0]'],
    ['policies:\n  require_ttl_for:\n  - a\n  -', '5:4 policies.require_ttl_for[1]'],
    ['policies: { require_ttl_for: ["a\\u202eb"] }', '2:31 policies.require_ttl_for[0]'],
    ['policies: { max_ttl: 1.5h }', '2:22 policies.max_ttl'],
    ['policies: { max_ttl: 0 }', '2:22 policies.max_ttl'],
    ['policies: { max_ttl: 1e3 }', '2:22 policies.max_ttl'],
    ['policies: { max_ttl: 0x10 }', '2:22 policies.max_ttl'],
    ['policies: { max_ttl: -5m }', '2:22 policies.max_ttl'],
    ['policies: { max_ttl: [8h] }', '2:22 policies.max_ttl'],
    ['watcher: { sweep: 601 }', '2:19 watcher.sweep'],
    ['watcher: { sweep: 1h }', '2:19 watcher.sweep'],
    ['watcher: { http: true }', '2:18 watcher.http'],
    ['watcher: { http: { port: 65536 } }', '2:26 watcher.http.port'],
    ['watcher: { http: { hosts: fleet.example } }', '2:27 watcher.http.hosts'],
    ['watcher: { http: { hosts: ["fleet.example:80"] } }', '2:28 watcher.http.hosts[0]'],
    ['watcher: { http: { hosts: ["http://a"] } }', '2:28 watcher.http.hosts[0]'],
    ['watcher: { http: { port: -1 } }', '2:26 watcher.http.port'],
    ['watcher: { http: { port: 80.5 } }', '2:26 watcher.http.port'],
    ['watcher: { http: { port: "80" } }', '2:26 watcher.http.port'],
    ['watcher: { http: { port: .nan } }', '2:26 watcher.http.port'],
    ['watcher: { webhooks: { url: x } }', '2:22 watcher.webhooks'],
  ])('%s', async (text, place) => {
    expect(outline(await readFleet(`version: 1\n${text}`))).toEqual([`invalid-value ${place}`]);
  });

  it.each([
    ['url: ftp://example.org\n      secret_file: s', 'invalid-value 4:12 watcher.webhooks[0].url'],
    ['url: example.org\n      secret_file: s', 'invalid-value 4:12 watcher.webhooks[0].url'],
    ['url: http://a:b@c\n      secret_file: s', 'invalid-value 4:12 watcher.webhooks[0].url'],
    ['url: http://a\n      secret_file: 5', 'invalid-value 5:20 watcher.webhooks[0].secret_file'],
    ['url: http://a', 'missing-key 4:7 watcher.webhooks[0].secret_file'],
    ['secret_file: s', 'missing-key 4:7 watcher.webhooks[0].url'],
    [
      'secret_file: s\n      url: http://a\n      events: []',
      'invalid-value 6:15 watcher.webhooks[0].events',
    ],
    [
      'secret_file: s\n      url: http://a\n      events: ["a b"]',
      'invalid-value 6:16 watcher.webhooks[0].events[0]',
    ],
  ])('a webhook with %j', async (text, expected) => {
    const file = await readFleet(`version: 1\nwatcher:\n  webhooks:\n    - ${text}\n`);
    expect(outline(file)).toEqual([expected]);
  });

  it('a password in an address is refused without being repeated', async () => {
    const hook = '{ url: "http://somebody:hunter2@example.org/in", secret_file: s }';
    const problems = problemsOf(await readFleet(`version: 1\nwatcher: { webhooks: [${hook}] }`));
    expect(problems).toHaveLength(1);
    expect(problems.map(describeProblem).join()).toContain('without a user or password in it');
    expect(JSON.stringify(problems)).not.toMatch(/hunter2|somebody/);
  });

  it('more than 32 webhooks', async () => {
    const hooks = (count: number) =>
      `version: 1\nwatcher:\n  webhooks:\n${'    - { url: http://a, secret_file: s }\n'.repeat(count)}`;
    expect((await readFleet(hooks(32))).state).toBe('read');
    expect(outline(await readFleet(hooks(33)))).toEqual(['invalid-value 4:5 watcher.webhooks']);
  });
});

describe('a key that there is not is named with the nearest that there is', () => {
  it.each([
    ['acces: {}', 'acces', '2:1', '`access`'],
    ['Policies: {}', 'Policies', '2:1', '`policies`'],
    ['policies: { maxTtl: 8h }', 'policies.maxTtl', '2:13', '`max_ttl`'],
    ['policies: { require-reason: true }', 'policies.require-reason', '2:13', '`require_reason`'],
    ['watcher: { http: { prot: 1 } }', 'watcher.http.prot', '2:20', '`port`'],
    ['watcher: { webhook: [] }', 'watcher.webhook', '2:12', '`webhooks`'],
  ])('%s', async (text, key, place, meant) => {
    const problem = problemOf(await readFleet(`version: 1\n${text}\n`));
    expect(problem).toMatchObject({ code: 'unknown-key', key, hint: `did you mean ${meant}?` });
    expect(`${problem.line}:${problem.column}`).toBe(place);
  });

  it('and with all that there are, and no guess where none is near', async () => {
    const problem = problemOf(await readFleet('version: 1\nwatcher: { constructor: 1 }\n'));
    expect(problem).toMatchObject({
      code: 'unknown-key',
      message: '`constructor` is not a key of `watcher`',
      expected: 'one of `sweep`, `http`, `webhooks`',
      hint: null,
    });
  });
});

describe('a value that is refused comes with what was expected', () => {
  it.each([
    ['observe: nativ', '`observe` cannot be `nativ`', '`native`', 'did you mean `native`?'],
    [
      'policies: { require_reason: yes }',
      'cannot be `yes`',
      '`true` or `false`',
      'did you mean `true`?',
    ],
    [
      'policies: { require_reason: "false" }',
      'cannot be `"false"`',
      '`true`',
      'did you mean `false`?',
    ],
    ['policies: { max_ttl: soon }', 'cannot be `soon`', 'a duration such as', null],
    ['policies: { require_ttl_for: [7] }', 'cannot be `7`', 'a holder', 'put it in quotes'],
    ['access: [a, b]', 'cannot be a list of 2 entries', 'a mapping', null],
    [
      'access: { group: }',
      '`access.group` has no value',
      'a group',
      'give it a value, or remove the key',
    ],
    ['watcher: { sweep: 1h }', 'cannot be `1h`', 'from `1s` to `10m`', null],
    ['watcher: { http: { port: "80" } }', 'cannot be `"80"`', '0 to 65535', 'leave out the quotes'],
  ])('%s', async (text, message, expected, hint) => {
    expect(problemOf(await readFleet(`version: 1\n${text}\n`))).toMatchObject({
      message: expect.stringContaining(message),
      expected: expect.stringContaining(expected),
      hint,
    });
  });

  it('and nothing in it reaches a terminal that would obey it', async () => {
    const { message } = problemOf(await readFleet('version: 1\nobserve: "a\u202e\\e[2J"\n'));
    expect(message).toBe('`observe` cannot be `"a\\u{202e}\\e[2J"`');
  });
});

it('what YAML itself says of a text shows nothing hidden either', async () => {
  const { message } = problemOf(await readFleet('version: 1\nobserve: "\\\u202e"\n'));
  expect(message).toContain('\\u{202e}');
});

it('all mistakes are reported at once, in the order of the file', async () => {
  const text = 'observe: x\nversion: 1\nwatcher: { sweep: x }\nfoo: 1\npolicies: { bar: 1 }\n';
  const lines = problemsOf(await readFleet(text)).map(({ line, key }) => `${line} ${key}`);
  expect(lines).toEqual(['1 observe', '3 watcher.sweep', '4 foo', '5 policies.bar']);
});
