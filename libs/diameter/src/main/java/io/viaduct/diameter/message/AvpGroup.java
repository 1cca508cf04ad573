package io.viaduct.diameter.message;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/// AVPs in their order: those of a message or of a Grouped AVP. Immutable. The getters return the
/// first AVP with a name, or empty if there is none or it is of another kind.
public record AvpGroup(List<Avp> avps) {
  public AvpGroup {
    avps = List.copyOf(avps);
  }

  /// Returns the AVPs with this name, in their order.
  public Stream<Avp> all(String name) {
    return avps.stream().filter(avp -> avp.name().equals(name));
  }

  public boolean has(String name) {
    return all(name).findFirst().isPresent();
  }

  public Optional<String> text(String name) {
    return first(name).map(value -> value instanceof AvpValue.Text(String text) ? text : null);
  }

  /// Returns a whole number; that of an Unsigned64 from 2⁶³ on is negative.
  public OptionalLong number(String name) {
    return first(name).filter(AvpValue.Whole.class::isInstance).stream()
        .mapToLong(value -> ((AvpValue.Whole) value).number())
        .findFirst();
  }

  public Optional<byte[]> octets(String name) {
    return first(name).map(value -> value instanceof AvpValue.Octets(byte[] bytes) ? bytes : null);
  }

  public Optional<Instant> time(String name) {
    return first(name).map(value -> value instanceof AvpValue.Moment(Instant time) ? time : null);
  }

  public Optional<AvpGroup> group(String name) {
    return groups(name).findFirst();
  }

  /// Returns the Grouped AVPs with this name, in their order.
  public Stream<AvpGroup> groups(String name) {
    return all(name)
        .map(Avp::value)
        .filter(AvpValue.Group.class::isInstance)
        .map(value -> ((AvpValue.Group) value).avps());
  }

  private Optional<AvpValue> first(String name) {
    return all(name).findFirst().map(Avp::value);
  }
}
