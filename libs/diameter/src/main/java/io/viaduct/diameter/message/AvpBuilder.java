package io.viaduct.diameter.message;

import io.viaduct.diameter.dictionary.AvpDefinition;
import io.viaduct.diameter.dictionary.AvpType;
import io.viaduct.diameter.dictionary.Dictionary;
import java.net.InetAddress;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// Builds AVPs by the names of the dictionary. A name that it does not have, and a value that has
/// not the AVP's format, are refused with IllegalArgumentException.
public final class AvpBuilder {
  private final Dictionary dictionary;
  private final List<Avp> avps = new ArrayList<>();

  public AvpBuilder(Dictionary dictionary) {
    this.dictionary = dictionary;
  }

  /// Adds an AVP of any definition.
  public AvpBuilder add(Avp avp) {
    avps.add(avp);
    return this;
  }

  /// Adds all AVPs of a group.
  public AvpBuilder addAll(AvpGroup group) {
    avps.addAll(group.avps());
    return this;
  }

  /// Adds text, or for an Enumerated AVP the value with this name.
  public AvpBuilder add(String name, String text) {
    AvpDefinition definition = dictionary.avp(name);
    boolean named = definition.type() == AvpType.ENUMERATED;
    return add(
        definition,
        named ? new AvpValue.Whole(dictionary.value(name, text)) : new AvpValue.Text(text));
  }

  /// Adds a whole number.
  public AvpBuilder add(String name, long number) {
    return add(dictionary.avp(name), new AvpValue.Whole(number));
  }

  public AvpBuilder add(String name, double number) {
    return add(dictionary.avp(name), new AvpValue.Real(number));
  }

  public AvpBuilder add(String name, byte[] octets) {
    return add(dictionary.avp(name), new AvpValue.Octets(octets.clone()));
  }

  /// Adds a time, cut to its second.
  public AvpBuilder add(String name, Instant time) {
    return add(dictionary.avp(name), new AvpValue.Moment(time.truncatedTo(ChronoUnit.SECONDS)));
  }

  public AvpBuilder add(String name, InetAddress address) {
    return add(dictionary.avp(name), AvpValue.Address.of(address));
  }

  /// Adds a Grouped AVP.
  public AvpBuilder group(String name, Consumer<AvpBuilder> content) {
    AvpBuilder inner = new AvpBuilder(dictionary);
    content.accept(inner);
    return add(dictionary.avp(name), new AvpValue.Group(inner.build()));
  }

  private AvpBuilder add(AvpDefinition definition, AvpValue value) {
    return add(Avp.of(definition, value));
  }

  public AvpGroup build() {
    return new AvpGroup(avps);
  }
}
