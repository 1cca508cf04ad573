package io.viaduct.webgui.peer;

/// Billing has found the password right and wants a code of the account's second factor.
public final class CodeRequiredException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String challenge;

  public CodeRequiredException(String challenge) {
    super("a code is needed", null, false, false);
    this.challenge = challenge;
  }

  /// Returns the secret that the code must be sent with.
  public String challenge() {
    return challenge;
  }
}
