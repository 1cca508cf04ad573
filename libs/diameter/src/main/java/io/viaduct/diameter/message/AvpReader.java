package io.viaduct.diameter.message;

import io.viaduct.diameter.dictionary.AvpDefinition;
import io.viaduct.diameter.dictionary.AvpKey;
import io.viaduct.diameter.dictionary.AvpType;
import io.viaduct.diameter.dictionary.Dictionary;
import io.viaduct.diameter.dictionary.MandatoryRule;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Reads the AVPs of one message, up to the first flaw.
final class AvpReader {
  private static final int HEADER = 8;
  private static final int VENDOR_HEADER = 12;
  private static final String FAILED_AVP = "Failed-AVP";

  private final Dictionary dictionary;
  private final CodecLimits limits;
  private final ByteBuffer bytes;
  private int count;
  private @Nullable Flaw flaw;

  AvpReader(Dictionary dictionary, CodecLimits limits, ByteBuffer bytes) {
    this.dictionary = dictionary;
    this.limits = limits;
    this.bytes = bytes;
  }

  /// Returns the AVPs, those before the flaw if there is one.
  AvpGroup read() {
    return group(new Place(DiameterHeader.BYTES, bytes.limit(), 1, true, false));
  }

  @Nullable Flaw flaw() {
    return flaw;
  }

  /// A range of octets that holds AVPs.
  ///
  /// @param mandatory true if all enclosing groups have the M bit: only then an unknown AVP with
  ///   the M bit is a flaw (RFC 6733 section 4.4)
  /// @param raw true inside Failed-AVP, whose content is wrong by its nature
  private record Place(int from, int to, int depth, boolean mandatory, boolean raw) {}

  private AvpGroup group(Place place) {
    List<Avp> avps = new ArrayList<>();
    int at = place.from;
    while (at < place.to && flaw == null) {
      at = avp(place, at, avps);
    }
    return new AvpGroup(avps);
  }

  /// Reads one AVP and returns where the next begins.
  private int avp(Place place, int at, List<Avp> avps) {
    if (++count > limits.avps()) {
      return refuse(Refusal.TOO_MANY_AVPS, null);
    }
    if (place.to - at < HEADER) {
      return refuse(Refusal.INVALID_AVP_LENGTH, null);
    }
    int flags = bytes.get(at + 4);
    boolean vendor = (flags & MessageWriter.VENDOR) != 0;
    int header = vendor ? VENDOR_HEADER : HEADER;
    int length = bytes.getInt(at + 4) & MessageWriter.LENGTH_MAX;
    AvpDefinition definition = definition(place, at, vendor);
    int next = at + (length + 3 & ~3);
    if (length < header || next > place.to) {
      return refuse(Refusal.INVALID_AVP_LENGTH, Avp.zero(definition));
    }
    boolean mandatory = (flags & MessageWriter.MANDATORY) != 0;
    ByteBuffer data = bytes.slice(at + header, length - header);
    Refusal refusal = bits(definition, place, vendor, mandatory, at);
    if (refusal != null) {
      return refuse(refusal, Avp.raw(definition, mandatory, octets(data)));
    }
    if (!definition.type().fits(data.remaining())) {
      return refuse(Refusal.INVALID_AVP_LENGTH, Avp.zero(definition));
    }
    AvpValue value = value(definition, place, mandatory, at + header, data);
    if (value != null) {
      avps.add(new Avp(definition, mandatory, value));
    }
    return next;
  }

  private AvpDefinition definition(Place place, int at, boolean vendor) {
    long code = Integer.toUnsignedLong(bytes.getInt(at));
    boolean readable = vendor && place.to - at >= VENDOR_HEADER;
    AvpKey key = new AvpKey(code, readable ? Integer.toUnsignedLong(bytes.getInt(at + 8)) : 0);
    AvpDefinition known = dictionary.find(key);
    if (known == null) {
      return AvpDefinition.unknown(key);
    }
    return place.raw ? known.asOctets() : known;
  }

  private @Nullable Refusal bits(
      AvpDefinition definition, Place place, boolean vendor, boolean mandatory, int at) {
    if (place.raw) {
      return null;
    }
    boolean known = dictionary.find(definition.key()) != null;
    if (vendor && bytes.getInt(at + 8) == 0) {
      return Refusal.INVALID_AVP_BITS;
    }
    if (mandatory && known && definition.mandatory() == MandatoryRule.CLEAR) {
      return Refusal.INVALID_AVP_BITS;
    }
    return mandatory && !known && place.mandatory ? Refusal.AVP_UNSUPPORTED : null;
  }

  private @Nullable AvpValue value(
      AvpDefinition definition, Place place, boolean mandatory, int from, ByteBuffer data) {
    if (definition.type() == AvpType.GROUPED) {
      if (place.depth == limits.depth()) {
        refuse(Refusal.TOO_DEEP, Avp.zero(definition));
        return null;
      }
      boolean raw = place.raw || definition.name().equals(FAILED_AVP);
      boolean all = place.mandatory && mandatory;
      AvpGroup inner = group(new Place(from, from + data.remaining(), place.depth + 1, all, raw));
      return flaw == null ? new AvpValue.Group(inner) : null;
    }
    byte[] octets = octets(data);
    try {
      AvpValue value = AvpFormat.decode(definition.type(), data);
      AvpFormat.check(definition, value);
      return value;
    } catch (IllegalArgumentException _) {
      refuse(Refusal.INVALID_AVP_VALUE, Avp.raw(definition, mandatory, octets));
      return null;
    }
  }

  private static byte[] octets(ByteBuffer data) {
    byte[] octets = new byte[data.remaining()];
    data.get(data.position(), octets);
    return octets;
  }

  private int refuse(Refusal reason, @Nullable Avp failed) {
    if (flaw == null) {
      flaw = new Flaw(reason, failed);
    }
    return bytes.limit();
  }
}
