/** The public API of the gateway package; every export is listed by name. */
export type { Ttl } from './command/options.ts';
export { isPauseCommand, type PauseCommand, parsePauseCommand } from './command/parse.ts';
export {
  type ChatMessage,
  type ControlAction,
  type PauseCommandOptions,
  type PauseControl,
  pauseCommand,
} from './command/pause-command.ts';
export type { PauseReply } from './command/replies.ts';
export { type HttpAnswer, PAUSED_TYPE } from './doors/answer.ts';
export { type BoardTick, BoardTickError } from './doors/board-tick.ts';
export { type CronDoor, type CronRun, cronDoor } from './doors/cron.ts';
export { type FastifyDoorReply, type FastifyDoorRequest, fastifyDoor } from './doors/fastify.ts';
export { fetchDoor, type HonoDoorContext, honoDoor } from './doors/fetch.ts';
export { type Board, type KanbanDoor, kanbanDoor } from './doors/kanban.ts';
export { type MisfireDoor, type MisfireOptions, misfireDoor, type Swept } from './doors/misfire.ts';
export type { OnMistake } from './doors/mistakes.ts';
export { expressDoor, type NodeDoorResponse, nodeDoor } from './doors/node-http.ts';
export {
  type TurnDecision,
  type TurnDoor,
  type TurnMessage,
  type TurnOptions,
  type TurnOrigin,
  type TurnRules,
  type TurnRun,
  turnDoor,
} from './doors/turn.ts';
export { GiveBackError, type Steps, type TwoStep, twoStep } from './doors/two-step.ts';
export { type WebhookOptions, webhookAnswer } from './doors/webhook.ts';
export { whileRunning } from './doors/while-running.ts';
export { type WithWork, withWork } from './doors/with-work.ts';
export type {
  Admission,
  Admitted,
  Applicant,
  Door,
  EndedHold,
  Gate,
  GateChange,
  Idle,
  Refused,
  RefusingHold,
  Work,
  WorkInHand,
} from './gate/gate.ts';
export type { GateLog } from './gate/gate-log.ts';
export { type GateOptions, openGate } from './gate/open-gate.ts';
export type { FoundWork, LostReceipt, UnrecordedWork } from './gate/profile.ts';
export type { ResumeRate } from './gate/resume-rate.ts';
export type { NoticeListener, WorkNotice } from './in-hand/cutting.ts';
export type { Drain, DrainListener } from './in-hand/drains.ts';
export { WorkAborted } from './in-hand/signals.ts';
export { type Link, type LinkOptions, openLink } from './link/open-link.ts';
export type { ProfileState } from './link/profile-state.ts';
export type { LinkedProfile, LinkStatus } from './link/status.ts';
