package io.viaduct.bridge.registrar;

import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;

/// Reasons for which the bridge refuses a well-formed SIP request, with the status of the response.
/// Each reason is one counter. The reasons of the proxy say in words what to do; senders who are
/// not known yet get none, because a longer answer would serve an attack on a forged source.
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
  /// The core names a user whom billing does not know.
  NO_ACCOUNT(403, "no account of this service has this address: ask your operator"),
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
  UNKNOWN_USER(404, "no user of this domain has this address"),
  NOT_REGISTERED(480, "the user has no device registered now: try again later"),
  /// Every contact of the recipient declared at registration that it does not take the method.
  NO_CAPABLE_CONTACT(480, "no device of the user takes this kind of request"),
  TOO_MANY_HOPS(483),
  /// The request has been here before with the same Request-URI.
  LOOP(482),
  /// The recipient has more contacts than Max-Breadth allows branches (RFC 5393).
  TOO_MUCH_BREADTH(440, "the user has more devices than Max-Breadth allows"),
  /// No contact of the recipient answered in time.
  NO_ANSWER(408, "no device of the user answered in time"),
  /// The recipient's user agent could not be reached.
  UNREACHABLE(480, "the user's device cannot be reached now: try again later"),
  /// The credit of the account is used up, so it makes no call and opens no new session. An open
  /// session stays: its device is told, and goes on after a top-up.
  NO_CREDIT(402, "the credit of your account is used up: top it up to make calls"),
  /// The caller has `calls.per-user` calls.
  TOO_MANY_CALLS(403, "you have as many calls as one user may have: end one of them first"),
  /// The bridge has `calls.max` calls, or its most INVITEs at a time (`sip.pending`).
  CALLS_FULL(503, "this bridge has as many calls as it may have: try again in a moment"),
  /// The session timer is shorter than `calls.session-min` (RFC 4028).
  SESSION_TOO_SHORT(422, "the session timer is too short: see Min-SE"),
  /// REFER: calls cannot be transferred.
  TRANSFER_REFUSED(403, "calls cannot be transferred here"),
  /// The caller gave the call up before it rang.
  CANCELLED(487),
  /// A CANCEL of no INVITE that is open here.
  UNKNOWN_TRANSACTION(481),
  UNKNOWN_EVENT(489),
  NOT_ACCEPTABLE(406),
  MALFORMED_DEVICE_KEY(400),
  /// The user is not registered, and so gets no session.
  SUBSCRIBER_NOT_REGISTERED(403),
  /// A request inside a dialog that did not begin here, or has ended.
  UNKNOWN_DIALOG(481),
  /// The account is suspended, and so gets neither a registration nor a token.
  ACCOUNT_SUSPENDED(403),
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
  private final String words;

  Refusal(int status) {
    this(status, "");
  }

  Refusal(int status, String words) {
    this.status = status;
    this.words = words;
  }

  public int status() {
    return status;
  }

  /// Returns the response, with the words in Warning if there are any.
  ///
  /// @param domain of this bridge
  public SipResponse response(SipRequest request, String domain) {
    SipResponse response = SipResponse.to(request, status);
    return words.isEmpty() ? response : response.withWarning(domain, words);
  }
}
