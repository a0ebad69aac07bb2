/** The public surface of the conformance kit, every name by hand. */
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
