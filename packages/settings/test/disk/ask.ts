/** A process that reads one file as the user it was started as, and prints the result. */
import { readSource } from '../../src/disk/source.ts';

process.stdout.write(JSON.stringify(readSource(process.argv[2] ?? '')));
