package io.viaduct.billing.lifecycle;

import org.springframework.boot.web.server.context.WebServerApplicationContext;

/// The stages of billing's start, in their order. The HTTP interface has started before the first
/// one: its requests wait for the database. Billing stops in the reverse order, so all stages have
/// stopped before running HTTP requests are waited for. Spring closes the database after the last
/// bean that uses it.
public enum Stage {
  /// Ends the event streams at the stop, so that the HTTP interface does not wait for them.
  EVENT_STREAMS,
  /// Waits until the database is open.
  DATABASE,
  /// Renews seals of SIP credentials, and imports users.
  USERS,
  /// Settles due intervals, and verifies the ledger.
  SETTLEMENT,
  /// Releases grants whose time is over, and delivers notices of credit.
  CREDIT,
  /// Exchanges notifications with the database: changes of subscribers, of credit and of charges.
  NOTIFICATIONS,
  /// Listens for bridges.
  MEDIATION,
  /// Reads reports from a broker, and publishes charges there.
  QUEUE,
  /// Listens for Diameter peers.
  DIAMETER,
  /// Listens for access networks, and sends accounting records to RADIUS servers.
  RADIUS,
  /// Ends the streams of bridges at the stop, so that mediation does not wait for them.
  BRIDGE_STREAMS,
  /// Tells at the stop, before anything ends, that billing is not ready any more.
  READINESS;

  /// Returns the phase for [SmartLifecycle#getPhase].
  public int phase() {
    return WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE + 1 + ordinal();
  }
}
