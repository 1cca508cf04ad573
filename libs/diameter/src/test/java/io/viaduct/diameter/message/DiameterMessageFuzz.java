package io.viaduct.diameter.message;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.viaduct.fuzzing.Corpus;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// The octets of one Diameter message. Rules: the reader never throws; an accepted message is read
/// again as the same after it is written; the answer to a refused request can be written and read.
final class DiameterMessageFuzz {
  private static final Answers ANSWERS =
      new Answers(Messages.DICTIONARY, "fuzz.ims.test", "ims.test");

  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    switch (Messages.READER.read(input)) {
      case Verdict.Accepted(DiameterMessage message) -> requireReadable(message);
      case Verdict.Refused refused -> {
        DiameterMessage answer = ANSWERS.refusal(refused);
        if (answer != null && refused.reason() != Refusal.COMMAND_UNSUPPORTED) {
          requireReadable(answer);
        }
      }
    }
  }

  private static void requireReadable(DiameterMessage message) {
    byte[] octets = message.encode();
    if (octets.length > CodecLimits.STANDARD.messageBytes()) {
      return; // an answer repeats AVPs and adds its own
    }
    Verdict again = Messages.READER.read(octets);
    if (!(again instanceof Verdict.Accepted(DiameterMessage read))
        || !Arrays.equals(read.encode(), octets)) {
      throw new AssertionError(message + " is read as " + again);
    }
  }

  static List<byte[]> seeds() {
    DiameterMessage accounting = Messages.accounting();
    return List.of(
        Messages.watchdog().encode(),
        accounting.encode(),
        ANSWERS.plain(accounting, 2001).encode(),
        ANSWERS.plain(accounting, 3004).encode());
  }
}
