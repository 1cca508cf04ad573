package io.viaduct.radius.dictionary;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Attributes and their named values. Immutable. The head of `radius.dictionary` describes its
/// format.
public final class Dictionary {
  private static final String FILE = "radius.dictionary";
  private static final Dictionary STANDARD = readStandard();

  private final Map<String, AttributeDefinition> byName = new LinkedHashMap<>();
  private final Map<Integer, AttributeDefinition> byNumber = new LinkedHashMap<>();
  private final Map<String, Map<String, Long>> values = new LinkedHashMap<>();

  private Dictionary() {}

  /// Returns the dictionary of this library: RFC 2865, RFC 2866, RFC 2869 and the IPv6 attributes.
  public static Dictionary standard() {
    return STANDARD;
  }

  private static Dictionary readStandard() {
    try (InputStream file = Dictionary.class.getResourceAsStream(FILE)) {
      if (file == null) {
        throw new IllegalStateException(FILE + " is not in the jar");
      }
      return parse(new String(file.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Parses a file.
  ///
  /// @throws IllegalArgumentException with the number of the line that is wrong
  public static Dictionary parse(String text) {
    Dictionary dictionary = new Dictionary();
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      String content = line.replaceFirst("#.*", "").strip();
      if (!content.isEmpty()) {
        try {
          dictionary.read(List.of(content.split("\\s+")));
        } catch (IllegalArgumentException e) {
          throw new IllegalArgumentException("line " + number + ": " + e.getMessage(), e);
        }
      }
    }
    return dictionary;
  }

  private void read(List<String> words) {
    if (words.size() != 4) {
      throw new IllegalArgumentException("an entry has four words, not " + words.size());
    }
    switch (words.getFirst()) {
      case "attribute" -> {
        AttributeDefinition attribute =
            new AttributeDefinition(
                words.get(1), Integer.parseInt(words.get(2)), AttributeType.of(words.get(3)));
        putNew(byName, attribute.name(), attribute);
        putNew(byNumber, attribute.number(), attribute);
      }
      case "value" -> {
        AttributeDefinition attribute = attribute(words.get(1));
        if (attribute.type() != AttributeType.ENUM) {
          throw new IllegalArgumentException(attribute.name() + " has no named values");
        }
        putNew(
            values.computeIfAbsent(attribute.name(), _ -> new LinkedHashMap<>()),
            words.get(2),
            Long.valueOf(words.get(3)));
      }
      default -> throw new IllegalArgumentException("unknown entry " + words.getFirst());
    }
  }

  private static <K, V> void putNew(Map<K, V> map, K key, V value) {
    if (map.putIfAbsent(key, value) != null) {
      throw new IllegalArgumentException("twice: " + key);
    }
  }

  /// Returns the attribute with this name.
  ///
  /// @throws IllegalArgumentException if there is none, because names come from our code
  public AttributeDefinition attribute(String name) {
    AttributeDefinition found = byName.get(name);
    if (found == null) {
      throw new IllegalArgumentException("no attribute " + name + " in the dictionary");
    }
    return found;
  }

  /// Returns the attribute with this number, or one that is kept as octets.
  public AttributeDefinition attribute(int number) {
    AttributeDefinition found = byNumber.get(number);
    return found == null ? AttributeDefinition.unknown(number) : found;
  }

  /// Returns the number of a named value.
  ///
  /// @throws IllegalArgumentException if there is none, because names come from our code
  public long value(String attribute, String name) {
    Long number = values.getOrDefault(attribute, Map.of()).get(name);
    if (number == null) {
      throw new IllegalArgumentException("no value " + name + " of the attribute " + attribute);
    }
    return number;
  }

  /// Returns the name of a value, or empty if the dictionary has none.
  public Optional<String> valueName(String attribute, long number) {
    return values.getOrDefault(attribute, Map.of()).entrySet().stream()
        .filter(value -> value.getValue() == number)
        .map(Map.Entry::getKey)
        .findFirst();
  }

  /// Returns all attributes in the order of the file.
  public List<AttributeDefinition> attributes() {
    return List.copyOf(byName.values());
  }
}
