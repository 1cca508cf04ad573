package io.viaduct.bridge.registrar;

import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;

/// Reasons for which the bridge refuses a well-formed SIP request, with the status of the response.
/// Each reason is one counter, and says in words what to do. The words are in a Warning of the
/// answer, and beside the reason on the operator's page.
public enum Refusal {
  METHOD_NOT_ALLOWED(405, "requests of this method are not served here: see Allow"),
  /// A method that no RFC known here has.
  METHOD_UNKNOWN(501, "this server does not know the method: see Allow"),
  /// The Request-URI is no SIP URI.
  UNSUPPORTED_SCHEME(416, "the Request-URI must begin with sip:"),
  /// To names no SIP address, so it is no address of record.
  NO_ADDRESS_OF_RECORD(400, "To must be the SIP address that is registered"),
  EXTENSION_REQUIRED(
      420, "the request requires an extension that this server lacks: see Unsupported"),
  /// The Request-URI names another domain.
  FOREIGN_DOMAIN(404, "this server serves another domain"),
  /// To or From is not the user who authenticated.
  FOREIGN_IDENTITY(403, "To or From must be an address of the user who sends the request"),
  TOO_MANY_FAILURES(403, "there were too many wrong passwords: wait a minute"),
  /// The core names a user whom billing does not know.
  NO_ACCOUNT(403, "no account of this service has this address: ask your operator"),
  MALFORMED_CONTACT(400, "Contact must be a SIP address that can receive requests"),
  /// `Contact: *` together with another contact, or without `Expires: 0`.
  MALFORMED_WILDCARD(400, "Contact: * must be the only contact, together with Expires: 0"),
  INTERVAL_TOO_BRIEF(423, "the expiry is too short: see Min-Expires"),
  TOO_MANY_CONTACTS(403, "the user has as many contacts as one user may have: remove one first"),
  /// Two contacts with a flow number in one REGISTER (RFC 5626 section 6).
  SEVERAL_FLOWS(400, "only one contact of a REGISTER may have a reg-id"),
  /// A flow through a proxy that does not keep it: its Path lacks `ob` (RFC 5626 section 6).
  FIRST_HOP_LACKS_OUTBOUND(439, "the first proxy does not keep the flow: its Path lacks ob"),
  TOO_MANY_BINDINGS(503, "this server has as many registrations as it may have: try again later"),
  OUT_OF_ORDER(500, "a later request of the same Call-ID was here before: CSeq must increase"),
  UNKNOWN_USER(404, "no user of this domain has this address"),
  NOT_REGISTERED(480, "the user has no device registered now: try again later"),
  /// Every contact of the recipient declared at registration that it does not take the method.
  NO_CAPABLE_CONTACT(480, "no device of the user takes this kind of request"),
  TOO_MANY_HOPS(483, "the request has passed too many servers"),
  /// The request has been here before with the same Request-URI.
  LOOP(482, "the request has been here before with the same address"),
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
  CANCELLED(487, "the caller gave the call up"),
  /// A CANCEL of no INVITE that is open here.
  UNKNOWN_TRANSACTION(481, "there is no open INVITE here that this CANCEL could end"),
  UNKNOWN_EVENT(489, "this event package is not served here"),
  NOT_ACCEPTABLE(406, "Accept lacks the type of the notifications"),
  MALFORMED_DEVICE_KEY(400, "the body must hold the device's key, and Contact a SIP address"),
  /// The user is not registered, and so gets no session.
  SUBSCRIBER_NOT_REGISTERED(403, "the user is not registered: register first"),
  /// A request inside a dialog that did not begin here, or has ended.
  UNKNOWN_DIALOG(481, "the dialog did not begin here, or it has ended"),
  /// The account is suspended, and so gets neither a registration nor a token.
  ACCOUNT_SUSPENDED(403, "the account is suspended: ask your operator"),
  /// Billing refused the device because the account is suspended or closed. The bridge has not
  /// received that change yet.
  NOT_ENTITLED(403, "the account may not open a session: ask your operator"),
  /// The account already has its maximum number of device keys.
  TOO_MANY_DEVICES(
      403, "the account has as many devices as it may have: remove one on the account's page"),
  /// The bridge has no directory of users: billing has not sent one yet, and there is no copy on
  /// disk.
  DIRECTORY_MISSING(503, "the bridge has no directory of users yet: it waits for billing"),
  /// Billing does not answer, and it must approve a new device before that gets a token.
  BILLING_AWAY(503, "billing does not answer, and this device is new"),
  /// The bridge opens its sockets before it can send.
  STARTING(503, "this server is starting: try again in a second"),
  /// A device answered 503, of which a proxy makes 500 (RFC 3261 section 16.7 step 6).
  DEVICE_UNAVAILABLE(500, "the user's device says that it cannot serve the request now"),
  TOO_MANY_SUBSCRIPTIONS(503, "there are as many subscriptions as there may be: try again later"),
  /// The body of a PUBLISH is not of the one type that is taken.
  UNSUPPORTED_TYPE(415, "the body has a type that is not taken here: see Accept"),
  /// Billing refused a device's report for good; the Warning says why.
  REPORT_REFUSED(400, "billing has refused the report for good"),
  /// Too many reports of devices wait for billing, or billing does not answer: the device sends the
  /// report again.
  REPORT_DEFERRED(503, "billing cannot take the report now: send it again");

  private final int status;
  private final String words;

  Refusal(int status, String words) {
    this.status = status;
    this.words = words;
  }

  public int status() {
    return status;
  }

  /// Returns what is wrong and what to do, for people.
  public String words() {
    return words;
  }

  /// Returns the response, with the words in Warning.
  ///
  /// @param domain of this bridge
  public SipResponse response(SipRequest request, String domain) {
    return response(request, domain, words);
  }

  /// Returns the response with more exact words in Warning. A request that is shorter than any user
  /// agent's gets none: its source may be forged, and a longer answer would serve an attack.
  ///
  /// @param domain of this bridge
  public SipResponse response(SipRequest request, String domain, String exact) {
    SipResponse response = SipResponse.to(request, status);
    return request.isShort() ? response : response.withWarning(domain, exact);
  }
}
