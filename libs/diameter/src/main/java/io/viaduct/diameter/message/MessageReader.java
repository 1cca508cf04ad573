package io.viaduct.diameter.message;

import io.viaduct.diameter.dictionary.AvpDefinition;
import io.viaduct.diameter.dictionary.CommandDefinition;
import io.viaduct.diameter.dictionary.Dictionary;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Reads messages from octets. Thread-safe.
public final class MessageReader {
  private static final int FLAGS_AT = 4;
  private static final long SUCCESS = 2001;
  private static final long ERRORS = 3000;

  private final Dictionary dictionary;
  private final CodecLimits limits;
  private final List<AvpDefinition> errorNeeds;

  public MessageReader(Dictionary dictionary, CodecLimits limits) {
    this.dictionary = dictionary;
    this.limits = limits;
    this.errorNeeds =
        Stream.of("Origin-Host", "Origin-Realm", "Result-Code").map(dictionary::avp).toList();
  }

  public CodecLimits limits() {
    return limits;
  }

  /// Checks the first four octets of a message: version and length.
  ///
  /// @param start version and length, as they are on the wire
  /// @return the reason why the stream cannot be followed, or null
  public @Nullable Refusal start(int start) {
    int length = start & MessageWriter.LENGTH_MAX;
    if (start >>> 24 != MessageWriter.VERSION) {
      return Refusal.UNSUPPORTED_VERSION;
    }
    if (length < DiameterHeader.BYTES || length % 4 != 0) {
      return Refusal.INVALID_MESSAGE_LENGTH;
    }
    return length > limits.messageBytes() ? Refusal.MESSAGE_TOO_LONG : null;
  }

  /// Reads a message that consists of exactly these octets.
  public Verdict read(byte[] octets) {
    if (octets.length < DiameterHeader.BYTES) {
      return refused(Refusal.INVALID_MESSAGE_LENGTH, null);
    }
    ByteBuffer bytes = ByteBuffer.wrap(octets);
    DiameterHeader header = header(bytes);
    Refusal start = start(bytes.getInt(0));
    if (start != null) {
      return refused(start, header);
    }
    if ((bytes.getInt(0) & MessageWriter.LENGTH_MAX) != octets.length) {
      return refused(Refusal.INVALID_MESSAGE_LENGTH, header);
    }
    CommandDefinition command = dictionary.command(header.command());
    if (command == null) {
      return refused(Refusal.COMMAND_UNSUPPORTED, header);
    }
    boolean badBits = header.request() ? header.error() : header.retransmitted();
    if (badBits || (header.proxiable() && !command.proxiable())) {
      return refused(Refusal.INVALID_HEADER_BITS, header);
    }
    return avps(bytes, header, command);
  }

  private static DiameterHeader header(ByteBuffer bytes) {
    int flags = bytes.get(FLAGS_AT);
    return new DiameterHeader(
        (flags & MessageWriter.REQUEST) != 0,
        (flags & MessageWriter.PROXIABLE) != 0,
        (flags & MessageWriter.ERROR) != 0,
        (flags & MessageWriter.RETRANSMITTED) != 0,
        bytes.getInt(FLAGS_AT) & MessageWriter.LENGTH_MAX,
        Integer.toUnsignedLong(bytes.getInt(8)),
        bytes.getInt(12),
        bytes.getInt(16));
  }

  private Verdict avps(ByteBuffer bytes, DiameterHeader header, CommandDefinition command) {
    AvpReader reader = new AvpReader(dictionary, limits, bytes);
    AvpGroup avps = reader.read();
    Flaw flaw = reader.flaw();
    if (flaw == null) {
      flaw = missing(header, command, avps);
    }
    return flaw == null
        ? new Verdict.Accepted(new DiameterMessage(header, avps))
        : new Verdict.Refused(flaw.reason(), header, flaw.failed(), avps);
  }

  private @Nullable Flaw missing(DiameterHeader header, CommandDefinition command, AvpGroup avps) {
    for (AvpDefinition needed : needs(header, command, avps)) {
      boolean isVendorResult =
          needed.name().equals("Result-Code") && avps.has("Experimental-Result");
      if (!avps.has(needed.name()) && !isVendorResult) {
        return new Flaw(Refusal.MISSING_AVP, Avp.zero(needed));
      }
    }
    return null;
  }

  /// An answer with an error may have the AVPs of RFC 6733 section 7.2 only, because the AVPs of
  /// its command may be what the request lacked.
  private List<AvpDefinition> needs(
      DiameterHeader header, CommandDefinition command, AvpGroup avps) {
    if (header.request()) {
      return command.requestNeeds();
    }
    boolean failed = header.error() || avps.number("Result-Code").orElse(SUCCESS) >= ERRORS;
    return failed ? errorNeeds : command.answerNeeds();
  }

  private static Verdict refused(Refusal reason, @Nullable DiameterHeader header) {
    return new Verdict.Refused(reason, header, null, new AvpGroup(List.of()));
  }
}
