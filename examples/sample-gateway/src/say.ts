/**
 * Sends one message to a gateway on this machine and prints the answer as it arrives:
 * `node dist/say.js HOME TEXT [--as NAME] [--conversation NAME]`.
 * Exit code 1: the message was refused, or the answer was incomplete. Answers are `chat.ts`.
 */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { readAddress } from './address.ts';
import { peopleFile, tokenOf } from './people.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    as: { type: 'string', default: 'guest' },
    conversation: { type: 'string', default: 'terminal' },
  },
});
const [home, text] = positionals;
if (home === undefined || text === undefined) {
  leave(2, 'usage: say HOME TEXT [--as NAME] [--conversation NAME]');
}
try {
  const url = readAddress(home) ?? leave(2, `no gateway serves ${home}`);
  const token = tokenOf(peopleFile(home), values.as) ?? leave(2, `there is no user ${values.as}`);
  const headers = { authorization: `Bearer ${token}` };
  const call = request(`${url}/chat`, { method: 'POST', headers });
  call.end(JSON.stringify({ conversation: values.conversation, text }));
  const [response]: IncomingMessage[] = await once(call, 'response');
  if (response === undefined) throw new Error('no answer');
  for await (const line of createInterface({ input: response })) print(JSON.parse(line));
  if (!response.complete) throw new Error('the connection ended');
} catch (error) {
  leave(
    1,
    `the answer of the gateway is incomplete: ${error instanceof Error ? error.message : error}`,
  );
}

/** Prints one event; for a refusal, its notice. */
function print(said: { event?: string; text?: string; notice?: string | null; error?: string }) {
  const isRefused = said.event === 'refused' || said.error !== undefined;
  if (isRefused) process.exitCode = 1;
  const words =
    said.text ?? said.error ?? said.notice ?? (isRefused ? '(refused, as before)' : null);
  if (words !== null) process.stdout.write(`${words}\n`);
}

function leave(status: number, sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(status);
}
