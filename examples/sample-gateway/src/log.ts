/** The gateway's log: one JSON line per event, on stdout. Rotation is left to the service manager. */

export type Log = (message: string, fields?: object) => void;

export function openLog(): Log {
  // If the reader of stdout goes away, the gateway keeps running.
  process.stdout.on('error', () => {});
  return (message, fields = {}) => {
    const line = { at: new Date().toISOString(), message, ...fields };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  };
}
