/** The public API of the ledger package; every export is listed by name. */
export { type Cleared, clearAbandoned } from './in-flight/clear-abandoned.ts';
export type { Unreadable } from './in-flight/folders.ts';
export type { WorkFate } from './in-flight/judge.ts';
export { openRegister } from './in-flight/open-register.ts';
export { reach } from './in-flight/reach.ts';
export {
  type ReadRegisterOptions,
  type RegisterRead,
  readRegister,
  type WorkRecord,
} from './in-flight/read-register.ts';
export type {
  Claim,
  PredecessorWork,
  Register,
  RegisterOptions,
  Unrecorded,
  WorkToBegin,
} from './in-flight/register.ts';
export {
  type ReadReceiptsOptions,
  type Receipts,
  readReceipts,
} from './receipts/read-receipts.ts';
export { type Receipt, type Refusal, receiptOf } from './receipts/receipt.ts';
export {
  openReceipts,
  type ReceiptOptions,
  type ReceiptWriter,
  receiptsPath,
} from './receipts/write-receipts.ts';
export {
  beginRestart,
  type RestartRead,
  readRestart,
  removeRestart,
  restartPath,
  writeRestart,
} from './restarts/restart-file.ts';
export {
  isUndoable,
  type RestartRecord,
  type RestartStep,
} from './restarts/restart-record.ts';
export {
  atStep,
  type RestartedProfile,
  type ServingInstance,
  type Settlement,
  settleRestart,
} from './restarts/settle-restart.ts';
export { takeCleanShutdown, writeCleanShutdown } from './shutdown/clean-shutdown.ts';
