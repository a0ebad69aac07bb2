/** The gateway's log: one JSON line for each thing that happened, on stdout. Rotating it is for others. */

export type Log = (message: string, fields?: object) => void;

export function openLog(): Log {
  // Whoever read it may go away; that ends no gateway.
  process.stdout.on('error', () => {});
  return (message, fields = {}) => {
    const line = { at: new Date().toISOString(), message, ...fields };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  };
}
