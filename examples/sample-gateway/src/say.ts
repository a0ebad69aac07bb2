/**
 * Says one message to a gateway on this machine, and prints what is answered while it comes:
 * `node dist/say.js HOME TEXT [--as NAME] [--conversation NAME]`. Exit 1: it was refused.
 */
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { readAddress } from './address.ts';
import { peopleFile } from './people.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    as: { type: 'string', default: 'guest' },
    conversation: { type: 'string', default: 'terminal' },
  },
});
const [home = '', text] = positionals;
const url = home === '' ? null : readAddress(home);
if (text === undefined || url === null) {
  const what = text === undefined ? 'say HOME TEXT [--as NAME] [--conversation NAME]' : home;
  process.stderr.write(text === undefined ? `usage: ${what}\n` : `no gateway serves ${what}\n`);
  process.exit(2);
}
const people = JSON.parse(readFileSync(peopleFile(home), 'utf8')) as Record<
  string,
  { token: string } | undefined
>;
const headers = { authorization: `Bearer ${people[values.as]?.token}` };
const call = request(`${url}/chat`, { method: 'POST', headers }, async (response) => {
  for await (const line of createInterface({ input: response })) {
    const { event, text: words, notice, error } = JSON.parse(line);
    if (event === 'refused' || error !== undefined) process.exitCode = 1;
    const said =
      words ?? error ?? notice ?? (event === 'refused' ? '(refused, as said before)' : null);
    if (said !== null) process.stdout.write(`${said}\n`);
  }
});
call.on('error', (error) => {
  process.stderr.write(`the gateway does not answer: ${error.message}\n`);
  process.exitCode = 1;
});
call.end(JSON.stringify({ conversation: values.conversation, text }));
