package io.viaduct.tunnel.terms;

import io.viaduct.tunnel.control.v1.Aead;
import io.viaduct.tunnel.control.v1.Hello;
import io.viaduct.tunnel.control.v1.RefusalCode;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.SessionSecret;
import io.viaduct.tunnel.wire.DatagramHeader;

/// Checks the terms of the tunnel that a Hello requests against docs/protocol.md section 5, for an
/// end that answers: a SNAPT or a listening peer.
public final class HelloTerms {
  private static final int PATH_MTU_TOLD_MAX = 65_535;

  private HelloTerms() {}

  /// Thrown for a Hello that must be answered with a Refusal.
  public static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;
    private final RefusalCode code;

    /// @param detail the rule and the value
    public RefusedException(RefusalCode code, String detail) {
      super(detail);
      this.code = code;
    }

    /// Returns the code of the Refusal.
    public RefusalCode code() {
      return code;
    }
  }

  /// Returns the terms that both ends accept.
  ///
  /// @param secret the secret from which the session's keys are derived
  /// @param limits limits of this end
  /// @throws RefusedException if the terms are not acceptable; it contains the Refusal
  public static TunnelTerms of(Hello hello, SessionSecret secret, TunnelLimits limits)
      throws RefusedException {
    if (hello.getReceiverIndex() < 0
        || hello.getReceiverIndex() > DatagramHeader.RECEIVER_INDEX_MAX) {
      throw malformed("a receiver index has 24 bits, got " + hello.getReceiverIndex());
    }
    if (hello.getPathMtu() < TunnelLimits.PATH_MTU_MIN || hello.getPathMtu() > PATH_MTU_TOLD_MAX) {
      throw malformed(
          "a path MTU is from %d to %d, got %d"
              .formatted(TunnelLimits.PATH_MTU_MIN, PATH_MTU_TOLD_MAX, hello.getPathMtu()));
    }
    return new TunnelTerms(
        aead(hello),
        secret,
        hello.getReceiverIndex(),
        limits.agreed(
            hello.getPathMtu(),
            hello.getHistoryBytes(),
            hello.getPaths(),
            hello.getFeaturesList()));
  }

  // The device's order of preference decides: it knows which cipher its processor has instructions
  // for.
  private static AeadAlgorithm aead(Hello hello) throws RefusedException {
    for (Aead offered : hello.getAeadsList()) {
      switch (offered) {
        case AES_256_GCM -> {
          return AeadAlgorithm.AES_256_GCM;
        }
        case CHACHA20_POLY1305 -> {
          return AeadAlgorithm.CHACHA20_POLY1305;
        }
        case AEAD_UNSPECIFIED, UNRECOGNIZED -> {
          // a cipher of a later version; the next entry may be a known one
        }
      }
    }
    throw new RefusedException(
        RefusalCode.AEAD_UNSUPPORTED, "offer AES_256_GCM or CHACHA20_POLY1305");
  }

  /// Returns the name of a cipher in messages.
  public static Aead wire(AeadAlgorithm aead) {
    return switch (aead) {
      case AES_256_GCM -> Aead.AES_256_GCM;
      case CHACHA20_POLY1305 -> Aead.CHACHA20_POLY1305;
    };
  }

  private static RefusedException malformed(String detail) {
    return new RefusedException(RefusalCode.HELLO_MALFORMED, detail);
  }
}
