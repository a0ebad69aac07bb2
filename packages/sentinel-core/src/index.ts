/**
 * The public surface of sentinel-core, every name by hand.
 */
export { ask, type Question, type Reply } from './ask/ask.ts';
export { lostFolder, unknownState } from './ask/lost-folder.ts';
export { mayStart, type StartAnswer, type StartOptions } from './ask/may-start.ts';
export { readChain } from './ask/read-chain.ts';
export {
  type Applicant,
  admit,
  type Because,
  type Decision,
  explain,
  type Ruling,
  type ScopeState,
} from './decide/admit.ts';
export { closedOut, listedIn, narrowest } from './decide/allowlists.ts';
export { arm } from './disk/arm.ts';
export { check } from './disk/check.ts';
export { inspect, type Sentinel } from './disk/inspect.ts';
export { type LiftOptions, lift, selects } from './disk/lift.ts';
export { MAX_HOLDERS, MAX_REASON } from './disk/limits.ts';
export { ODD, SENTINEL, STAGING, TENURE } from './disk/names.ts';
export { type NodeDiskOptions, nodeDisk } from './disk/node-disk.ts';
export type { DiskPort, Entry, Handle, OpenMode } from './disk/port.ts';
export { type RecoverReport, recover } from './disk/recover.ts';
export type {
  ArmRequest,
  ArmResult,
  LiftResult,
  LiftSelection,
  Patience,
  RetireResult,
  Why,
} from './disk/results.ts';
export { retire } from './disk/retire.ts';
export { FleetError, type FleetErrorCode } from './errors.ts';
export {
  codeOf,
  codeOrText,
  couldNotLook,
  failureOf,
  meansAbsent,
  meansTaken,
} from './files/errno.ts';
export { type FileSystem, type FileSystemKind, fileSystemAt } from './files/file-system.ts';
export {
  type FolderIdentity,
  identifyFolder,
  type PresentFolder,
} from './files/folder-identity.ts';
export { giveToOwner } from './files/give-to-owner.ts';
export { appendJournal, type JournalEntry, journalPath, newOperation } from './files/journal.ts';
export { type JournalLedger, journalLedger, type RecordedHold } from './files/journal-ledger.ts';
export {
  type JournalHold,
  type JournalRead,
  type JournalRecord,
  readJournal,
} from './files/journal-read.ts';
export { type JournalOutcome, type LineFile, linesPath, openLines } from './files/line-file.ts';
export { type LineRead, type ReadLinesOptions, readLines } from './files/line-read.ts';
export { type Rotation, type Segment, segmentsOf } from './files/line-rotation.ts';
export type { CorruptLine, ParseLine, SplitLine } from './files/line-split.ts';
export { type LineTail, tailLines } from './files/line-tail.ts';
export { makeOwnFolder } from './files/make-folder.ts';
export { READ_SAFELY, withFile } from './files/open.ts';
export { withinRecords } from './files/records-folder.ts';
export { removeFolder } from './files/remove-folder.ts';
export {
  MAX_TOKEN_BYTES,
  MIN_TOKEN_LENGTH,
  readSecretFile,
  type SecretFile,
  tokenFault,
  tokenPath,
} from './files/secret-file.ts';
export { withinFolder } from './files/walk.ts';
export { chainOf, profileChain, rootScopes } from './fleet/chain.ts';
export { chainOfHome } from './fleet/home-profile.ts';
export {
  DEFAULT_PROFILE,
  isProfileName,
  listProfiles,
  type Profile,
  type ProfileListing,
  profileHome,
  profilesSharing,
} from './fleet/profiles.ts';
export {
  type Recognition,
  recognizeRoot,
  requireRoot,
  whyNeverRoot,
  whyNoRoot,
} from './fleet/recognize.ts';
export { type RootChoice, resolveRoot } from './fleet/root.ts';
export { MISSED_CHOICES, type MissedChoice } from './missed/choice.ts';
export { type MissedRead, readMissed } from './missed/read-missed.ts';
export { removeMissed, writeMissed } from './missed/write-missed.ts';
export { intersectAllow } from './model/allow.ts';
export { MAX_BODY_BYTES } from './model/body.ts';
export { type BootClock, CLOCK_TOLERANCE_MS, stepSince, type Uptime } from './model/deadline.ts';
export { parseDuration } from './model/duration.ts';
export { editDistance, maxTypo } from './model/edit-distance.ts';
export { formatSpan, formatUtc } from './model/format-time.ts';
export { hidesSomething, replaceHidden, visible, visibleJson } from './model/hidden.ts';
export type { ClockStamp } from './model/hold.ts';
export { type Actor, type Allow, DEFAULT_HOLDER, type Hold } from './model/hold.ts';
export { HOLDER_NAME_RULE, isHolderName } from './model/holder-name.ts';
export { jsonText } from './model/json-text.ts';
export type { Chain, Scope, ScopeCheck } from './model/scope.ts';
export {
  expiryMs,
  formatInstant,
  formatNearestInstant,
  MAX_INSTANT_MS,
  parseStamp,
} from './model/stamp.ts';
export { accountName, actorOf, personName, userName } from './process/actor.ts';
export { type Fate, fateOf } from './process/fate.ts';
export { here, type Place, sharesKernel } from './process/place.ts';
export { markOf, type ProcessMark, parseMark, processAt } from './process/process-mark.ts';
export { type NoticeNotifier, notifyByNotices } from './watch/notices.ts';
export {
  type ChangeNotifier,
  type FolderListener,
  type LookScope,
  type Notify,
  notifyFirst,
  type OpenFolder,
  type WatchedFolder,
} from './watch/observer.ts';
export { openPlainly } from './watch/plain-folder.ts';
export {
  type LookResult,
  type Scheduler,
  type SchedulerHealth,
  type SchedulerOptions,
  startScheduler,
} from './watch/scheduler.ts';
export {
  type ChangeWatch,
  type ChangeWatchOptions,
  nextDeadline,
  type WatchTargets,
  watchForChanges,
} from './watch/watch-for-changes.ts';
