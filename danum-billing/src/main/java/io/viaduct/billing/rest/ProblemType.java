package io.viaduct.billing.rest;

import java.net.URI;
import java.util.Locale;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;

/// The types of refusals (RFC 9457). Their URIs are stable: clients may match on them.
public enum ProblemType {
  WRONG_PASSWORD(HttpStatus.UNAUTHORIZED, "Wrong user or password"),
  TOO_MANY_ATTEMPTS(HttpStatus.TOO_MANY_REQUESTS, "Too many wrong passwords"),
  CODE_REQUIRED(HttpStatus.UNAUTHORIZED, "The code of the second factor is needed"),
  CHALLENGE_OVER(HttpStatus.UNAUTHORIZED, "The log-in is over: begin again"),
  WRONG_CODE(HttpStatus.FORBIDDEN, "The code is wrong or was used before"),
  SECOND_FACTOR_ON(HttpStatus.CONFLICT, "The second factor is on already"),
  SECOND_FACTOR_REQUIRED(HttpStatus.CONFLICT, "This role must have a second factor"),
  IDENTITY_REFUSED(HttpStatus.UNAUTHORIZED, "The ID token is not accepted"),
  IDENTITY_UNKNOWN(HttpStatus.FORBIDDEN, "No account is linked to this identity"),
  IDENTITY_TAKEN(HttpStatus.CONFLICT, "The identity belongs to another account"),
  NO_OIDC_PROVIDER(HttpStatus.CONFLICT, "There is no OpenID Connect provider"),
  OIDC_PROVIDER_AWAY(HttpStatus.SERVICE_UNAVAILABLE, "The OpenID Connect provider does not answer"),
  TOO_MANY_LOG_INS(HttpStatus.SERVICE_UNAVAILABLE, "Too many passwords are being checked"),
  TOO_MANY_REQUESTS(HttpStatus.TOO_MANY_REQUESTS, "Too many requests with this log-in or token"),
  TOO_MANY_WEBHOOKS(HttpStatus.CONFLICT, "There are too many webhooks"),
  TOO_MANY_TOKENS(HttpStatus.CONFLICT, "There are too many tokens"),
  UNAUTHENTICATED(HttpStatus.UNAUTHORIZED, "A valid bearer token is needed"),
  FORBIDDEN(HttpStatus.FORBIDDEN, "Your role or token does not allow this"),
  NOT_FOUND(HttpStatus.NOT_FOUND, "The resource does not exist or is not visible to you"),
  INVALID_REQUEST(HttpStatus.BAD_REQUEST, "The request breaks a rule"),
  RESET_REFUSED(HttpStatus.GONE, "The link is unknown, used or over"),
  WRONG_OLD_PASSWORD(HttpStatus.FORBIDDEN, "The old password is wrong"),
  ACCOUNT_EXISTS(HttpStatus.CONFLICT, "The account exists already"),
  ACCOUNT_CLOSED(HttpStatus.CONFLICT, "The account is closed"),
  NOT_ERASABLE(HttpStatus.CONFLICT, "The account cannot be erased now"),
  CONFIGURED_OPERATOR(HttpStatus.CONFLICT, "The configuration governs this account"),
  IDEMPOTENCY_KEY_REUSED(HttpStatus.CONFLICT, "The idempotency key was used for something else"),
  VOUCHER_UNKNOWN(HttpStatus.UNPROCESSABLE_CONTENT, "No voucher has this code"),
  VOUCHER_ENDED(HttpStatus.CONFLICT, "The voucher cannot be redeemed any more"),
  NO_PROVIDER(HttpStatus.CONFLICT, "There is no payment provider"),
  SIGNATURE_REFUSED(HttpStatus.UNAUTHORIZED, "The signature is missing, wrong or too old"),
  PAYMENT_REFUSED(HttpStatus.CONFLICT, "The event does not fit a payment"),
  REFUND_EXCEEDS_CHARGE(HttpStatus.CONFLICT, "The refund is more than what is left of the charge"),
  RERATING_OVERLAPS(HttpStatus.CONFLICT, "A re-rating of this time has not ended"),
  ALREADY_DECIDED(HttpStatus.CONFLICT, "The decision was made before"),
  NOT_DUE(HttpStatus.CONFLICT, "The device still has time to sign"),
  CHANGED_MEANWHILE(HttpStatus.PRECONDITION_FAILED, "It was changed by somebody else"),
  VERSION_REQUIRED(HttpStatus.PRECONDITION_REQUIRED, "The version to replace must be named"),
  TOO_MANY_DRAFTS(HttpStatus.CONFLICT, "There are too many drafts"),
  TARIFF_REFUSED(HttpStatus.UNPROCESSABLE_CONTENT, "The tariff would bill wrongly"),
  TOO_MANY_STREAMS(HttpStatus.SERVICE_UNAVAILABLE, "Too many event streams are open"),
  BUSY(HttpStatus.SERVICE_UNAVAILABLE, "Only one such request is carried out at a time"),
  DATABASE_AWAY(HttpStatus.SERVICE_UNAVAILABLE, "The database is away"),
  INTERNAL(HttpStatus.INTERNAL_SERVER_ERROR, "Billing failed");

  private final HttpStatus status;
  private final String title;

  ProblemType(HttpStatus status, String title) {
    this.status = status;
    this.title = title;
  }

  /// Returns the type of a refusal by Spring or Tomcat.
  static ProblemType of(HttpStatusCode status) {
    return status.is5xxServerError()
        ? INTERNAL
        : status.value() == 404 ? NOT_FOUND : INVALID_REQUEST;
  }

  HttpStatus status() {
    return status;
  }

  String title() {
    return title;
  }

  /// Returns the type's URI, e.g. `urn:viaduct:problem:wrong-password`.
  URI uri() {
    return URI.create("urn:viaduct:problem:" + name().toLowerCase(Locale.ROOT).replace('_', '-'));
  }
}
