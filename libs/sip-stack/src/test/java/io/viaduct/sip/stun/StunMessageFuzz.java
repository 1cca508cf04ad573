package io.viaduct.sip.stun;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.viaduct.fuzzing.Corpus;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Reads arbitrary datagrams as STUN. Rules: nothing is thrown, only what claims to be STUN is
/// read, and the address of a response is read again from a response of ours.
final class StunMessageFuzz {
  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    StunMessage message = StunMessage.read(input);
    if (message == null) {
      return;
    }
    if (!StunMessage.isClaimed(input) || input.length > StunMessage.BYTES_MAX) {
      throw new AssertionError("read, but not claimed: " + message);
    }
    if (message instanceof StunMessage.Success read) {
      StunMessage.Success again = new StunMessage.Success(read.id(), read.mapped(), "abcd");
      if (!again.equals(StunMessage.read(StunMessage.success(again)))) {
        throw new AssertionError(read + " is not read again");
      }
    }
  }

  static List<byte[]> seeds() {
    TransactionId id = new TransactionId(1, 2);
    return List.of(
        StunMessage.request(id, false),
        StunMessage.request(id, true),
        StunMessage.success(success(id, "192.0.2.1")),
        StunMessage.success(success(id, "2001:db8::1")));
  }

  private static StunMessage.Success success(TransactionId id, String address) {
    return new StunMessage.Success(
        id, new InetSocketAddress(InetAddress.ofLiteral(address), 5060), "abcd");
  }
}
