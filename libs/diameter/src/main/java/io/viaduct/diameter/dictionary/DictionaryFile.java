package io.viaduct.diameter.dictionary;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Parses the data file of a dictionary. The head of `diameter.dictionary` describes its format.
public final class DictionaryFile {
  private static final int COMMAND_MAX = (1 << 24) - 1;

  private final Map<String, Long> vendors = new LinkedHashMap<>(Map.of("-", 0L));
  private final Map<String, AvpDefinition> byName = new LinkedHashMap<>();
  private final Map<AvpKey, AvpDefinition> byKey = new LinkedHashMap<>();
  private final Map<String, Map<String, Integer>> values = new LinkedHashMap<>();
  private final Map<Integer, CommandDefinition> commands = new LinkedHashMap<>();

  private DictionaryFile() {}

  /// Parses a file.
  ///
  /// @throws IllegalArgumentException with the number of the line that is wrong
  public static Dictionary parse(String text) {
    DictionaryFile file = new DictionaryFile();
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      List<String> words = words(line);
      if (!words.isEmpty()) {
        try {
          file.read(words);
        } catch (IllegalArgumentException e) {
          throw new IllegalArgumentException("line " + number + ": " + e.getMessage(), e);
        }
      }
    }
    return new Dictionary(file.byName, file.byKey, file.values, file.commands);
  }

  private static List<String> words(String line) {
    int comment = line.indexOf('#');
    String content = (comment < 0 ? line : line.substring(0, comment)).strip();
    return content.isEmpty() ? List.of() : Arrays.asList(content.split("\\s+"));
  }

  private void read(List<String> words) {
    switch (words.getFirst()) {
      case "vendor" -> putNew(vendors, need(words, 3).get(1), Long.valueOf(words.get(2)));
      case "avp" -> readAvp(need(words, 6));
      case "value" -> readValue(need(words, 4));
      case "command" -> readCommand(need(words, 4));
      case "request", "answer" -> readNeeds(words);
      default -> throw new IllegalArgumentException("unknown entry " + words.getFirst());
    }
  }

  private static List<String> need(List<String> words, int count) {
    if (words.size() != count) {
      throw new IllegalArgumentException(
          words.getFirst() + " has " + (count - 1) + " fields, not " + (words.size() - 1));
    }
    return words;
  }

  private void readAvp(List<String> words) {
    AvpKey key = new AvpKey(Long.parseLong(words.get(2)), known(vendors, words.get(3)));
    AvpType type =
        AvpType.of(words.get(4))
            .orElseThrow(() -> new IllegalArgumentException("unknown type " + words.get(4)));
    AvpDefinition avp = new AvpDefinition(words.get(1), key, type, MandatoryRule.of(words.get(5)));
    putNew(byName, avp.name(), avp);
    putNew(byKey, key, avp);
  }

  private void readValue(List<String> words) {
    AvpDefinition avp = known(byName, words.get(1));
    if (avp.type() != AvpType.ENUMERATED && avp.type() != AvpType.UNSIGNED_32) {
      throw new IllegalArgumentException(avp.name() + " has no named values");
    }
    putNew(
        values.computeIfAbsent(avp.name(), _ -> new LinkedHashMap<>()),
        words.get(2),
        Integer.valueOf(words.get(3)));
  }

  private void readCommand(List<String> words) {
    int code = Integer.parseInt(words.get(2));
    if (code < 0 || code > COMMAND_MAX) {
      throw new IllegalArgumentException("command code " + code);
    }
    boolean proxiable = words.get(3).equals("P");
    if (!proxiable && !words.get(3).equals("-")) {
      throw new IllegalArgumentException("the flag of a command is P or -");
    }
    putNew(
        commands, code, new CommandDefinition(code, words.get(1), proxiable, List.of(), List.of()));
  }

  private void readNeeds(List<String> words) {
    int code = Integer.parseInt(words.get(1));
    CommandDefinition before = known(commands, code);
    List<AvpDefinition> needs = new ArrayList<>();
    words.subList(2, words.size()).forEach(name -> needs.add(known(byName, name)));
    boolean request = words.getFirst().equals("request");
    commands.put(
        code,
        new CommandDefinition(
            code,
            before.name(),
            before.proxiable(),
            request ? needs : before.requestNeeds(),
            request ? before.answerNeeds() : needs));
  }

  private static <K, V> V known(Map<K, V> map, K key) {
    @Nullable V found = map.get(key);
    if (found == null) {
      throw new IllegalArgumentException("unknown: " + key);
    }
    return found;
  }

  private static <K, V> void putNew(Map<K, V> map, K key, V value) {
    if (map.putIfAbsent(key, value) != null) {
      throw new IllegalArgumentException("twice: " + key);
    }
  }
}
