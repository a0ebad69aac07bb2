/** The skip that tests of every package share, under the name that this package's tests know. */
export { needs } from '../../../../test/support/needs.ts';
