/** The mounts that tests of every package share, under the name that this package's tests know. */
export {
  makeReadOnly,
  mountBind,
  mountsMissing,
  mountTmpfs,
} from '../../../../test/support/mounts.ts';
