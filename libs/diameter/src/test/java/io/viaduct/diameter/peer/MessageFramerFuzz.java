package io.viaduct.diameter.peer;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.viaduct.diameter.message.Messages;
import io.viaduct.fuzzing.Corpus;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Octets of a Diameter connection. Input: one octet with the length of a piece, then the octets.
/// Rule: no exception, and the messages do not depend on how TCP cut them.
final class MessageFramerFuzz {
  private static List<byte[]> feed(byte[] input, int piece) {
    EmbeddedChannel connection = new EmbeddedChannel(new MessageFramer(Messages.READER));
    for (int at = 1; at < input.length; at += piece) {
      connection.writeInbound(Unpooled.copiedBuffer(input, at, Math.min(piece, input.length - at)));
    }
    List<byte[]> messages = new ArrayList<>();
    for (Object one = connection.readInbound(); one != null; one = connection.readInbound()) {
      messages.add((byte[]) one);
      Messages.READER.read((byte[]) one);
    }
    connection.finishAndReleaseAll();
    return messages;
  }

  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    if (input.length < 2) {
      return;
    }
    List<byte[]> whole = feed(input, input.length);
    List<byte[]> pieces = feed(input, Math.max(1, input[0] & 0xFF));
    boolean same = whole.size() == pieces.size();
    for (int i = 0; same && i < whole.size(); i++) {
      same = Arrays.equals(whole.get(i), pieces.get(i));
    }
    if (!same) {
      throw new AssertionError(whole.size() + " messages at once, in pieces " + pieces.size());
    }
  }

  static List<byte[]> seeds() {
    List<byte[]> seeds = new ArrayList<>();
    for (byte[] message : List.of(Messages.watchdog().encode(), Messages.accounting().encode())) {
      byte[] twice = new byte[1 + 2 * message.length];
      twice[0] = 7;
      System.arraycopy(message, 0, twice, 1, message.length);
      System.arraycopy(message, 0, twice, 1 + message.length, message.length);
      seeds.add(twice);
    }
    seeds.add(Messages.hex("03 01000014 80000118 00000000 00000001 00000002 02000014"));
    return seeds;
  }
}
