package io.viaduct.usage;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.viaduct.usage.v1.BridgeMessage;
import io.viaduct.usage.v1.ReplicaContact;
import io.viaduct.usage.v1.ReplicaEntry;
import io.viaduct.usage.v1.ReplicaFlow;
import io.viaduct.usage.v1.ReplicaKind;
import io.viaduct.usage.v1.SipOrder;
import io.viaduct.usage.v1.SipOrderKind;
import java.io.IOException;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/// Compares the bytes between bridges in docs/protocol.md with those that the code writes.
class GoldenBridgeTest {
  private static final ReplicaFlow FLOW =
      ReplicaFlow.newBuilder()
          .setBridge("bridge-1")
          .setTransport("udp")
          .setAddress(ByteString.fromHex("c0000207"))
          .setPort(5060)
          .build();

  @Test
  void thePageShowsTheMessagesThatTheCodeWrites() throws IOException {
    ReplicaEntry removal =
        ReplicaEntry.newBuilder()
            .setKind(ReplicaKind.CONTACT)
            .setKey("alice\nsip:alice@192.0.2.7")
            .setVersion(1_700_000_000_000L << 16 | 1)
            .setOrigin("bridge-1")
            .setUntilMs(1_700_000_600_000L)
            .build();
    ReplicaEntry contact =
        removal.toBuilder()
            .setVersion(1_700_000_000_000L << 16)
            .setContact(
                ReplicaContact.newBuilder()
                    .setUser("alice")
                    .setContact("sip:alice@192.0.2.7")
                    .setFlow(FLOW)
                    .setCallId("1")
                    .setCseq(2)
                    .setRegisteredMs(1_700_000_000_000L)
                    .setExpiresMs(1_700_000_600_000L)
                    .setPreference(1000)
                    .setLanguage("en"))
            .build();
    BridgeMessage order =
        BridgeMessage.newBuilder()
            .setSip(
                SipOrder.newBuilder()
                    .setId(7)
                    .setKind(SipOrderKind.REQUEST)
                    .setFlow(FLOW)
                    .setMethod("MESSAGE")
                    .setUri("sip:alice@192.0.2.7"))
            .build();
    assertThat(GoldenPage.messages())
        .containsEntry("bridge-contact", hex(contact.toByteArray()))
        .containsEntry("bridge-removal", hex(removal.toByteArray()))
        .containsEntry("bridge-order", hex(order.toByteArray()));
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
