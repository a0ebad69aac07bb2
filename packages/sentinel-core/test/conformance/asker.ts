/**
 * A process that answers one scenario's questions as whatever user it was started as: questions as
 * JSON in the one argument, answers as JSON on stdout.
 * Which user that is, is left to `unprivileged.ts`.
 */
import { answer } from './answers.ts';

const [, , questions = ''] = process.argv;
process.stdout.write(JSON.stringify(answer(JSON.parse(questions))));
