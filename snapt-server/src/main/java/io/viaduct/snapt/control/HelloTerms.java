package io.viaduct.snapt.control;

import com.google.protobuf.ByteString;
import io.viaduct.service.logging.PeerText;
import io.viaduct.snapt.binding.Session;
import io.viaduct.snapt.napt.InnerAddresses;
import io.viaduct.tunnel.control.v1.Aead;
import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.control.v1.Hello;
import io.viaduct.tunnel.control.v1.RefusalCode;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.SessionSecret;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.terms.TunnelTerms;
import io.viaduct.tunnel.wire.DatagramHeader;
import java.nio.charset.StandardCharsets;

/// Checks the terms that a Hello requests, without its token, against docs/protocol.md section 5.
final class HelloTerms {
  private static final int APPLICATIONS_MAX = 255;
  private static final int APPLICATION_BYTES_MAX = 40;
  private static final int SOFTWARE_LENGTH_MAX = 80;

  private HelloTerms() {}

  /// Thrown for a Hello that must be answered with a Refusal.
  static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;
    private final RefusalCode code;

    RefusedException(RefusalCode code, String detail) {
      super(detail);
      this.code = code;
    }

    RefusalCode code() {
      return code;
    }
  }

  /// @param secret the secret from which the session's keys are derived
  /// @param limits limits of this SNAPT
  /// @throws RefusedException if the terms are not acceptable; it contains the Refusal
  static Session.Terms of(
      Hello hello, ApplicationNames applications, SessionSecret secret, TunnelLimits limits)
      throws RefusedException {
    if (hello.getReceiverIndex() < 0
        || hello.getReceiverIndex() > DatagramHeader.RECEIVER_INDEX_MAX) {
      throw malformed("a receiver index has 24 bits, got " + hello.getReceiverIndex());
    }
    if (hello.getPathMtu() < TunnelLimits.PATH_MTU_MIN || hello.getPathMtu() > 65_535) {
      throw malformed(
          "a path MTU is from %d to 65535, got %d"
              .formatted(TunnelLimits.PATH_MTU_MIN, hello.getPathMtu()));
    }
    requireApplications(hello);
    return new Session.Terms(
        new TunnelTerms(
            aead(hello),
            secret,
            hello.getReceiverIndex(),
            limits.agreed(
                hello.getPathMtu(),
                hello.getHistoryBytes(),
                hello.getPaths(),
                hello.getFeaturesList())),
        inner(hello),
        applications.shared(hello.getApplicationsList()),
        PeerText.printable(hello.getSoftware(), SOFTWARE_LENGTH_MAX),
        hello.getFeaturesList().contains(Feature.RECEIPTS));
  }

  private static void requireApplications(Hello hello) throws RefusedException {
    if (hello.getApplicationsCount() > APPLICATIONS_MAX) {
      throw malformed("at most 255 applications, got " + hello.getApplicationsCount());
    }
    for (String name : hello.getApplicationsList()) {
      int bytes = name.getBytes(StandardCharsets.UTF_8).length;
      if (bytes == 0
          || bytes > APPLICATION_BYTES_MAX
          || !name.equals(PeerText.printable(name, SOFTWARE_LENGTH_MAX))) {
        throw malformed("an application is named by 1 to 40 printable bytes, got " + bytes);
      }
    }
  }

  private static InnerAddresses inner(Hello hello) throws RefusedException {
    try {
      return InnerAddresses.of(bytes(hello.getInnerIpv4()), bytes(hello.getInnerIpv6()));
    } catch (IllegalArgumentException e) {
      throw malformed(String.valueOf(e.getMessage()));
    }
  }

  private static byte[] bytes(ByteString address) {
    return address.toByteArray();
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

  static Aead wire(AeadAlgorithm aead) {
    return switch (aead) {
      case AES_256_GCM -> Aead.AES_256_GCM;
      case CHACHA20_POLY1305 -> Aead.CHACHA20_POLY1305;
    };
  }

  private static RefusedException malformed(String detail) {
    return new RefusedException(RefusalCode.HELLO_MALFORMED, detail);
  }
}
