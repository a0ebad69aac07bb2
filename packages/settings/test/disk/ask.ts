/**
 * A process that reads one file as whatever user it was started as, and prints what it found.
 */
import { readSource } from '../../src/disk/source.ts';

process.stdout.write(JSON.stringify(readSource(process.argv[2] ?? '')));
