package io.viaduct.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PayloadKindTest {
  private static final int PACKET = 1332;
  private static final int PACKETS = 200;

  @ParameterizedTest
  @EnumSource
  void theSameSeedGivesTheSameBytesAndAnotherSeedOthers(PayloadKind kind) {
    assertThat(stream(kind, 1)).isEqualTo(stream(kind, 1)).isNotEqualTo(stream(kind, 2));
  }

  @ParameterizedTest
  @EnumSource
  void aDensePayloadDoesNotShrinkAndEveryOtherDoes(PayloadKind kind) throws Exception {
    double share = deflated(stream(kind, 1)) / (PACKET * PACKETS);
    if (kind.isIncompressible()) {
      assertThat(share).isGreaterThan(0.99);
    } else {
      assertThat(share).isLessThan(0.97);
    }
  }

  @Test
  void packetsOfAFlowAreToldApartByTheirContent() {
    PayloadKind.Payloads payloads = PayloadKind.SIP.from(1);
    var first = new byte[72];
    var second = new byte[72];
    payloads.fill(first);
    payloads.fill(second);
    assertThat(first).isNotEqualTo(second);
  }

  private static byte[] stream(PayloadKind kind, long seed) {
    PayloadKind.Payloads payloads = kind.from(seed);
    var all = new byte[PACKET * PACKETS];
    var packet = new byte[PACKET];
    for (int i = 0; i < PACKETS; i++) {
      payloads.fill(packet);
      System.arraycopy(packet, 0, all, i * PACKET, PACKET);
    }
    return all;
  }

  private static double deflated(byte[] bytes) throws Exception {
    var out = new ByteArrayOutputStream();
    try (var deflater = new DeflaterOutputStream(out, new Deflater(9))) {
      deflater.write(bytes);
    }
    return out.size();
  }
}
