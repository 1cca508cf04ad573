package io.viaduct.billing.rest;

import io.viaduct.billing.ledger.MicroDenarii;

/// Checks the idempotency key and the amount of requests that post money.
final class PostedMoney {
  /// Name of the header, as in draft-ietf-httpapi-idempotency-key-header.
  static final String HEADER = "Idempotency-Key";

  private PostedMoney() {}

  static String key(String key) {
    if (!key.matches("[\\x21-\\x7e]{1,128}")) {
      throw ProblemException.invalid(
          "the header Idempotency-Key must be 1 to 128 printable characters without blanks");
    }
    return key;
  }

  static ProblemException reused(String key, String keys) {
    return new ProblemException(
        ProblemType.IDEMPOTENCY_KEY_REUSED,
        "the key '" + key + "' was used with another " + keys + ": use a new key");
  }

  /// Reads the amount to post, in micro-denarii.
  ///
  /// @param most largest amount that is allowed, in micro-denarii
  static MicroDenarii amount(String text, long most) {
    if (!text.matches("[0-9]{1,16}") || Long.parseLong(text) < 1 || Long.parseLong(text) > most) {
      throw ProblemException.invalid("amountMicrodenarii must be a whole number from 1 to " + most);
    }
    return new MicroDenarii(Long.parseLong(text));
  }
}
