package io.viaduct.diameter.peer;

/// A request got no answer.
public final class DiameterException extends Exception {
  private static final long serialVersionUID = 1L;

  private final DiameterFailure failure;
  private final boolean mayHaveArrived;

  /// @param mayHaveArrived true if a copy of the request was sent that no peer has answered
  public DiameterException(DiameterFailure failure, String message, boolean mayHaveArrived) {
    super(message);
    this.failure = failure;
    this.mayHaveArrived = mayHaveArrived;
  }

  /// Returns true if a copy of the request was sent that no peer has answered. The next one must
  /// have the T bit then, and must not have it otherwise (RFC 6733 section 3).
  public boolean mayHaveArrived() {
    return mayHaveArrived;
  }

  public DiameterFailure failure() {
    return failure;
  }
}
