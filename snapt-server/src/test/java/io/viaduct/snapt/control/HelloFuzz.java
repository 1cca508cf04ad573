package io.viaduct.snapt.control;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.tunnel.control.v1.Aead;
import io.viaduct.tunnel.control.v1.Hello;
import io.viaduct.tunnel.key.SessionSecret;
import io.viaduct.tunnel.terms.HelloTerms;
import io.viaduct.tunnel.terms.TunnelLimits;
import java.util.List;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Fuzzes the terms of a Hello. Rule: the terms are within the protocol's limits, or are refused
/// with a code.
final class HelloFuzz {
  private static final ApplicationNames NAMES = new ApplicationNames();
  private static final SessionSecret SECRET = SessionSecret.of(new byte[32]);
  private static final TunnelLimits LIMITS = new TunnelLimits(1500, 65_536);

  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    try {
      Hello hello = Hello.parseFrom(input);
      var terms = SessionTerms.of(hello, null, NAMES, SECRET, LIMITS);
      TunnelLimits agreed = terms.tunnel().limits();
      if (agreed.pathMtu() > LIMITS.pathMtu()
          || agreed.pathMtu() < TunnelLimits.PATH_MTU_MIN
          || agreed.historyBytes() > LIMITS.historyBytes()
          || terms.software().length() > 80) {
        throw new AssertionError("terms out of bounds: " + terms);
      }
    } catch (InvalidProtocolBufferException | HelloTerms.RefusedException _) {
      return; // answered with a refusal
    }
  }

  static List<byte[]> seeds() {
    Hello hello =
        Hello.newBuilder()
            .setVersion(1)
            .setReceiverIndex(77)
            .setPathMtu(1400)
            .addAeads(Aead.CHACHA20_POLY1305)
            .addApplications("skype")
            .setInnerIpv4(ByteString.copyFrom(new byte[] {10, 64, 0, 2}))
            .setInnerIpv6(ByteString.copyFrom(new byte[16]))
            .setSoftware("seed\u0007")
            .build();
    return List.of(
        hello.toByteArray(),
        hello.toBuilder().clearInnerIpv6().setPathMtu(1).build().toByteArray());
  }
}
