package io.viaduct.bridge.registrar;

/// Reasons for which the bridge refuses a well-formed SIP request, with the status of the response.
/// Each reason is one counter.
public enum Refusal {
  METHOD_NOT_ALLOWED(405),
  /// A method that no RFC known here has.
  METHOD_UNKNOWN(501),
  /// The Request-URI is no SIP URI.
  UNSUPPORTED_SCHEME(416),
  /// To names no SIP address, so it is no address of record.
  NO_ADDRESS_OF_RECORD(400),
  EXTENSION_REQUIRED(420),
  /// The Request-URI names another domain.
  FOREIGN_DOMAIN(404),
  /// To or From is not the user who authenticated.
  FOREIGN_IDENTITY(403),
  TOO_MANY_FAILURES(403),
  MALFORMED_CONTACT(400),
  /// `Contact: *` together with another contact, or without `Expires: 0`.
  MALFORMED_WILDCARD(400),
  INTERVAL_TOO_BRIEF(423),
  TOO_MANY_CONTACTS(403),
  /// Two contacts with a flow number in one REGISTER (RFC 5626 section 6).
  SEVERAL_FLOWS(400),
  /// A flow through a proxy that does not keep it: its Path lacks `ob` (RFC 5626 section 6).
  FIRST_HOP_LACKS_OUTBOUND(439),
  TOO_MANY_BINDINGS(503),
  OUT_OF_ORDER(500),
  UNKNOWN_USER(404),
  NOT_REGISTERED(480),
  /// Every contact of the recipient declared at registration that it takes no MESSAGE.
  NO_CAPABLE_CONTACT(480),
  TOO_MANY_HOPS(483),
  /// No contact of the recipient answered in time.
  NO_ANSWER(408),
  /// The recipient's user agent could not be reached.
  UNREACHABLE(480),
  UNKNOWN_EVENT(489),
  NOT_ACCEPTABLE(406),
  MALFORMED_DEVICE_KEY(400),
  /// The user is not registered, and so gets no session.
  SUBSCRIBER_NOT_REGISTERED(403),
  UNKNOWN_DIALOG(481),
  /// The account is suspended, and so gets neither a registration nor a token.
  ACCOUNT_SUSPENDED(403),
  /// The credit of the account is used up, so no new session is opened. An open one stays: its
  /// device is told, and goes on after a top-up.
  NO_CREDIT(402),
  /// Billing refused the device because the account is suspended or closed. The bridge has not
  /// received that change yet.
  NOT_ENTITLED(403),
  /// The account already has its maximum number of device keys.
  TOO_MANY_DEVICES(403),
  /// The bridge has no directory of users: billing has not sent one yet, and there is no copy on
  /// disk.
  DIRECTORY_MISSING(503),
  /// Billing does not answer, and it must approve a new device before that gets a token.
  BILLING_AWAY(503),
  TOO_MANY_SUBSCRIPTIONS(503),
  /// The body of a PUBLISH is not of the one type that is taken.
  UNSUPPORTED_TYPE(415),
  /// Billing refused a device's report for good; the Warning says why.
  REPORT_REFUSED(400),
  /// Too many reports of devices wait for billing, or billing does not answer: the device sends the
  /// report again.
  REPORT_DEFERRED(503);

  private final int status;

  Refusal(int status) {
    this.status = status;
  }

  public int status() {
    return status;
  }
}
