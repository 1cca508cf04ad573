package io.viaduct.bridge.registrar;

/// Why the bridge refused a sound SIP request. Each is one counter.
public enum Refusal {
  METHOD_NOT_ALLOWED(405),
  EXTENSION_REQUIRED(420),
  /// The Request-URI names another domain.
  FOREIGN_DOMAIN(404),
  /// To or From is not the user who authenticated.
  FOREIGN_IDENTITY(403),
  TOO_MANY_FAILURES(403),
  MALFORMED_CONTACT(400),
  /// `Contact: *` with others, or with an expiry.
  MALFORMED_WILDCARD(400),
  INTERVAL_TOO_BRIEF(423),
  TOO_MANY_CONTACTS(403),
  TOO_MANY_BINDINGS(503),
  OUT_OF_ORDER(500),
  UNKNOWN_USER(404),
  NOT_REGISTERED(480),
  /// No contact of the recipient takes a MESSAGE, by what they said when they registered.
  NO_CAPABLE_CONTACT(480),
  TOO_MANY_HOPS(483),
  /// No contact of the recipient answered in time.
  NO_ANSWER(408),
  /// The recipient's user agent could not be reached.
  UNREACHABLE(480),
  UNKNOWN_EVENT(489),
  NOT_ACCEPTABLE(406),
  MALFORMED_DEVICE_KEY(400),
  /// A user who is not registered asks for a session.
  SUBSCRIBER_NOT_REGISTERED(403),
  UNKNOWN_DIALOG(481),
  /// The account is suspended: neither registration nor token.
  ACCOUNT_SUSPENDED(403),
  /// Billing says that the account is suspended or closed; its event is on its way.
  NOT_ENTITLED(403),
  /// The account has as many device keys as it may have.
  TOO_MANY_DEVICES(403),
  /// No directory of users has come yet, and there is no copy on disk.
  DIRECTORY_MISSING(503),
  /// Billing must say whether a new device may have a token, and does not answer.
  BILLING_AWAY(503),
  TOO_MANY_SUBSCRIPTIONS(503);

  private final int status;

  Refusal(int status) {
    this.status = status;
  }

  public int status() {
    return status;
  }
}
