package io.viaduct.diameter.dictionary;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// AVPs, their enumerated values, and commands. Immutable.
public final class Dictionary {
  private static final String FILE = "diameter.dictionary";
  private static final Dictionary STANDARD = readStandard();

  private final Map<String, AvpDefinition> byName;
  private final Map<AvpKey, AvpDefinition> byKey;
  private final Map<String, Map<String, Integer>> values;
  private final Map<Integer, CommandDefinition> commands;

  Dictionary(
      Map<String, AvpDefinition> byName,
      Map<AvpKey, AvpDefinition> byKey,
      Map<String, Map<String, Integer>> values,
      Map<Integer, CommandDefinition> commands) {
    this.byName = byName;
    this.byKey = byKey;
    this.values = values;
    this.commands = commands;
  }

  /// Returns the dictionary of this library: RFC 6733, RFC 8506 and the AVPs of TS 32.299 that Rf
  /// and Ro use.
  public static Dictionary standard() {
    return STANDARD;
  }

  private static Dictionary readStandard() {
    try (InputStream file = Dictionary.class.getResourceAsStream(FILE)) {
      if (file == null) {
        throw new IllegalStateException(FILE + " is not in the jar");
      }
      return DictionaryFile.parse(new String(file.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Returns the AVP with this name.
  ///
  /// @throws IllegalArgumentException if there is none, because names come from our code
  public AvpDefinition avp(String name) {
    AvpDefinition found = byName.get(name);
    if (found == null) {
      throw new IllegalArgumentException("no AVP " + name + " in the dictionary");
    }
    return found;
  }

  /// Returns the AVP with this code and vendor, or null.
  public @Nullable AvpDefinition find(AvpKey key) {
    return byKey.get(key);
  }

  /// Returns the command with this code, or null.
  public @Nullable CommandDefinition command(int code) {
    return commands.get(code);
  }

  /// Returns the number of a named value of an Enumerated AVP.
  ///
  /// @throws IllegalArgumentException if there is no such value
  public int value(String avp, String value) {
    Integer number = values.getOrDefault(avp, Map.of()).get(value);
    if (number == null) {
      throw new IllegalArgumentException("no value " + value + " of the AVP " + avp);
    }
    return number;
  }

  /// Returns the name of an enumerated value, or empty if the dictionary has none.
  public Optional<String> valueName(String avp, long number) {
    return values.getOrDefault(avp, Map.of()).entrySet().stream()
        .filter(value -> value.getValue() == number)
        .map(Map.Entry::getKey)
        .findFirst();
  }

  /// Returns all AVPs in the order of the file.
  public List<AvpDefinition> avps() {
    return List.copyOf(byName.values());
  }

  /// Returns all commands in the order of the file.
  public Collection<CommandDefinition> commands() {
    return commands.values();
  }
}
