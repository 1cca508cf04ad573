package io.viaduct.bridge.registrar;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.usage.v1.ReplicaContact;
import io.viaduct.usage.v1.ReplicaCore;
import io.viaduct.usage.v1.ReplicaFlow;
import java.util.List;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Contacts that another bridge tells. Input: the message. Rule: a message is refused, or the
/// binding that it says is written and read again without a difference.
final class ContactTextFuzz {
  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    Binding read;
    try {
      read = ContactText.read(ReplicaContact.parseFrom(input), "bridge-1");
    } catch (IllegalArgumentException | InvalidProtocolBufferException _) {
      return;
    }
    Binding again = ContactText.read(ContactText.write(read, "bridge-1"), "bridge-1");
    if (!again.equals(read)) {
      throw new AssertionError(read + " is read again as " + again);
    }
  }

  static List<byte[]> seeds() {
    ReplicaContact contact =
        ReplicaContact.newBuilder()
            .setUser("alice")
            .setContact("sip:alice@192.0.2.7")
            .setInstance("<urn:x>")
            .setFlow(
                ReplicaFlow.newBuilder()
                    .setBridge("bridge-2")
                    .setTransport("tcp")
                    .setAddress(ByteString.fromHex("c0000207"))
                    .setPort(5060))
            .setCallId("1")
            .setCseq(2)
            .setRegisteredMs(1_700_000_000_000L)
            .setExpiresMs(1_700_000_600_000L)
            .addMethods("MESSAGE")
            .setRegId(1)
            .addPath("<sip:edge;lr>")
            .setLanguage("pl")
            .build();
    ReplicaCore core =
        ReplicaCore.newBuilder()
            .setScscf("sip:scscf;lr")
            .setIcid("1")
            .setGeneratedAt("h")
            .addCcf("ccf")
            .build();
    return List.of(
        contact.toByteArray(),
        contact.toBuilder().setCore(core).build().toByteArray(),
        contact.toBuilder().setLanguage("x-a-very-long-language").build().toByteArray(),
        ReplicaContact.getDefaultInstance().toByteArray());
  }
}
