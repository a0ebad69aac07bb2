/**
 * Who runs this command. It is recorded for people and grants nothing.
 */
import { type Actor, actorOf as actorVia, personName } from '@fleet-estop/sentinel-core';

export const actorOf = (verb: string): Actor => actorVia(`fleet ${verb}`, personName());
