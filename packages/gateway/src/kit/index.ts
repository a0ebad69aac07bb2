/** The public API of the conformance kit; every export is listed by name. */
export type {
  BegunDriver,
  BoardDriver,
  CardView,
  ControlDriver,
  GatewayAdapter,
  KitFleet,
  KitPrincipals,
  OwnDriver,
  StartDriver,
  TurnDriver,
  WebhookAnswer,
  WebhookDriver,
  WorkDriver,
} from './adapter.ts';
export { DoorFailure } from './failure.ts';
export { type Run, type TestDoorsOptions, type TestedDoors, testDoors } from './test-doors.ts';
