package io.viaduct.billing.call;

/// Results of a call's request, each with the Result-Code of its answer (RFC 6733, RFC 8506) and a
/// counter.
public enum CallOutcome {
  /// Seconds were granted, or the request wanted none.
  SUCCESS(2001),
  /// The account is blocked, suspended or closed.
  END_USER_SERVICE_DENIED(4010),
  /// The credit, or a cap of the user, pays not one second.
  CREDIT_LIMIT_REACHED(4012),
  /// No call has this Session-Id, or it has ended. What the request told is charged if it is known.
  UNKNOWN_SESSION(5002),
  /// A call that exists cannot begin, and none is longer than the time since its beginning.
  INVALID_VALUE(5004),
  /// The request has no service: no units stand in it, neither in Multiple-Services-Credit-Control
  /// nor beside it. Or it begins a call and wants no seconds.
  MISSING_UNITS(5005),
  /// No account has the address of the subscriber.
  USER_UNKNOWN(5030),
  /// The tariff has no price for calls, or the service is not counted in seconds.
  RATING_FAILED(5031);

  private final int resultCode;

  CallOutcome(int resultCode) {
    this.resultCode = resultCode;
  }

  public int resultCode() {
    return resultCode;
  }
}
