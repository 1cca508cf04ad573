package io.viaduct.sip;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/// The header fields of a message in their order; immutable. Letter case of names does not matter
/// (RFC 3261 section 7.3.1).
public record SipHeaders(List<SipHeader> list) {
  public static final SipHeaders NONE = new SipHeaders(List.of());

  public SipHeaders {
    list = List.copyOf(list);
  }

  /// Returns the value of the first field with a name.
  public Optional<String> first(String name) {
    for (SipHeader header : list) {
      if (header.is(name)) {
        return Optional.of(header.value());
      }
    }
    return Optional.empty();
  }

  /// Returns the value of a field that the guard has already found present.
  public String require(String name) {
    return first(name)
        .orElseThrow(() -> new IllegalStateException("message has no " + name + " header"));
  }

  /// Returns the values of all fields with a name, one per line as received.
  public List<String> all(String name) {
    List<String> found = new ArrayList<>(0);
    for (SipHeader header : list) {
      if (header.is(name)) {
        found.add(header.value());
      }
    }
    return Collections.unmodifiableList(found);
  }

  /// Returns all values of a name, with comma-separated values split (RFC 3261 section 7.3.1). Not
  /// for From, To, Authorization and similar headers, in which a comma does not separate values.
  public List<String> values(String name) {
    return all(name).stream().flatMap(line -> FieldText.split(line, ',').stream()).toList();
  }

  /// Appends a field.
  public SipHeaders with(String name, String value) {
    List<SipHeader> next = new ArrayList<>(list);
    next.add(new SipHeader(name, value));
    return new SipHeaders(next);
  }

  /// Puts a field before all others, as needed for the Via of the next hop.
  public SipHeaders withFirst(String name, String value) {
    List<SipHeader> next = new ArrayList<>(list);
    next.addFirst(new SipHeader(name, value));
    return new SipHeaders(next);
  }

  /// Removes all fields of that name.
  public SipHeaders without(String name) {
    return new SipHeaders(list.stream().filter(header -> !header.is(name)).toList());
  }

  /// Replaces all fields of a name by one field at the end.
  public SipHeaders replace(String name, String value) {
    return without(name).with(name, value);
  }

  /// Replaces the first value of a name in its place.
  public SipHeaders replaceFirst(String name, String value) {
    List<SipHeader> next = new ArrayList<>(list);
    for (int i = 0; i < next.size(); i++) {
      if (next.get(i).is(name)) {
        next.set(i, new SipHeader(name, value));
        return new SipHeaders(next);
      }
    }
    return with(name, value);
  }
}
