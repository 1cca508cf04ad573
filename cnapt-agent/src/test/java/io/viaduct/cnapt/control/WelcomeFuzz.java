package io.viaduct.cnapt.control;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.tunnel.control.v1.Aead;
import io.viaduct.tunnel.control.v1.Welcome;
import io.viaduct.tunnel.terms.TunnelLimits;
import java.util.List;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Fuzzes the Welcome of a SNAPT. Rule: an accepted Welcome has a key, a port and a path MTU with
/// which a session can be opened.
final class WelcomeFuzz {
  private static final Greeting GREETING =
      new Greeting(
          List.of(Aead.AES_256_GCM),
          List.of("web"),
          new TunnelLimits(1500, 65_536),
          "10.64.0.2",
          "",
          "fuzz",
          false);

  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    try {
      Welcome welcome = Welcome.parseFrom(input);
      boolean right = GREETING.wrongWith(welcome, "resumable").isEmpty();
      boolean usable =
          (welcome.getResumed() || welcome.getSecret().size() == 32)
              && welcome.getDataPort() > 0
              && welcome.getDataPort() < 65_536
              && welcome.getPathMtu() <= 1500
              && welcome.getReceiverIndex() >= 0;
      if (right && !usable) {
        throw new AssertionError("found right: " + welcome);
      }
    } catch (InvalidProtocolBufferException _) {
      return; // no message of this protocol
    }
  }

  static List<byte[]> seeds() {
    Welcome welcome =
        Welcome.newBuilder()
            .setSessionId("s")
            .setSecret(ByteString.copyFrom(new byte[32]))
            .setReceiverIndex(5)
            .setDataPort(4500)
            .setPathMtu(1400)
            .setAead(Aead.AES_256_GCM)
            .build();
    return List.of(
        welcome.toByteArray(),
        welcome.toBuilder().setResumed(true).clearSecret().build().toByteArray());
  }
}
