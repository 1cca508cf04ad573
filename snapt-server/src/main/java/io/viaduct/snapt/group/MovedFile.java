package io.viaduct.snapt.group;

import io.viaduct.service.storage.DurableFile;
import io.viaduct.snapt.group.MovedAddresses.Stay;
import io.viaduct.snapt.napt.PublicAddress;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The file of the moved addresses. A line is a stay (`IPV4 IPV6 FROM TO`), the newest of an
/// address last, or an intent (`IPV4 IPV6 intent TO NUMBER`). Each change writes the whole file.
record MovedFile(Path path) {
  private static final String INTENT = "intent";

  /// The content of the file.
  ///
  /// @param stays the last stay of each address is the newest
  /// @param intents at most one per address
  record Content(Map<PublicAddress, List<Stay>> stays, Map<PublicAddress, Intent> intents) {
    static final Content NONE = new Content(Map.of(), Map.of());
  }

  /// Reads the file; one that does not exist is empty.
  ///
  /// @throws IOException if it cannot be read, or a line is damaged
  Content read() throws IOException {
    if (!Files.exists(path)) {
      return Content.NONE;
    }
    Map<PublicAddress, List<Stay>> stays = new LinkedHashMap<>();
    Map<PublicAddress, Intent> intents = new LinkedHashMap<>();
    for (String line : Files.readAllLines(path)) {
      String[] words = line.split(" ");
      try {
        PublicAddress address = PublicAddress.of(words[0], words[1]);
        if (words.length == 5 && words[2].equals(INTENT)) {
          intents.put(address, new Intent(address, words[3], Long.parseLong(words[4])));
        } else if (words.length == 4) {
          stays.computeIfAbsent(address, _ -> new ArrayList<>()).add(new Stay(words[2], words[3]));
        } else {
          throw damaged(line);
        }
      } catch (ArrayIndexOutOfBoundsException | IllegalArgumentException _) {
        throw damaged(line);
      }
    }
    return new Content(stays, intents);
  }

  private IOException damaged(String line) {
    return new IOException(
        "%s: each line has 4 words, or 5 of an intent, got '%s': delete the file if no session is handed over"
            .formatted(path, line));
  }

  /// Writes the file, and returns when it is on the disk.
  ///
  /// @throws IOException if it cannot be written; the file is then as it was
  void write(Content now) throws IOException {
    StringBuilder text = new StringBuilder();
    now.stays()
        .forEach((address, of) -> {
          for (Stay each : of) {
            line(text, address, each.from(), each.to());
          }
        });
    now.intents()
        .forEach((address, of) -> line(text, address, INTENT, of.to(), Long.toString(of.number())));
    DurableFile.write(path, text.toString().getBytes(StandardCharsets.US_ASCII));
  }

  private static void line(StringBuilder text, PublicAddress address, String... words) {
    text.append(address);
    for (String each : words) {
      text.append(' ').append(each);
    }
    text.append('\n');
  }
}
