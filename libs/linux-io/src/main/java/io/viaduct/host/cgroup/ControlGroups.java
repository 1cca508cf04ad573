package io.viaduct.host.cgroup;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The control groups of version 2 of this host, below the directory at which they are mounted:
/// `/sys/fs/cgroup`, or `/sys/fs/cgroup/unified` beside those of version 1.
public record ControlGroups(Path root) {
  private static final Path MOUNTS = Path.of("/proc/self/mountinfo");
  private static final int MOUNT_POINT = 4; // proc(5)
  private static final String TYPE = " - cgroup2 ";
  private static final Pattern ESCAPED = Pattern.compile("\\\\([0-7]{3})"); // blanks and '\'
  private static final int OCTAL = 8;
  private static final String ANY = "*";

  /// Returns those that are mounted; empty if none are.
  ///
  /// @throws IOException if `/proc` cannot be read
  public static Optional<ControlGroups> mounted() throws IOException {
    // Latin-1 reads any bytes that other mounts may have.
    return rootIn(Files.readAllLines(MOUNTS, ISO_8859_1)).map(ControlGroups::new);
  }

  /// Returns the first directory at which control groups of version 2 are mounted.
  ///
  /// @param mounts lines of `/proc/PID/mountinfo`
  static Optional<Path> rootIn(List<String> mounts) {
    return mounts.stream()
        .filter(each -> each.contains(TYPE))
        .map(each -> Path.of(plain(each.split(" ")[MOUNT_POINT])))
        .findFirst();
  }

  private static String plain(String escaped) {
    return ESCAPED
        .matcher(escaped)
        .replaceAll(each ->
            Matcher.quoteReplacement(Character.toString(Integer.parseInt(each.group(1), OCTAL))));
  }

  /// Makes a group below the root, unless it exists.
  ///
  /// @throws ControlGroupException if the kernel refuses it
  public ControlGroup make(String name) throws ControlGroupException {
    Path directory = root.resolve(name);
    try {
      return new ControlGroup(Files.createDirectories(directory));
    } catch (AccessDeniedException _) {
      throw new ControlGroupException(
          ControlGroupException.Reason.NO_PERMISSION,
          "the control group %s may not be made: run the agent as root".formatted(directory));
    } catch (IOException e) {
      throw new ControlGroupException(
          ControlGroupException.Reason.UNSUPPORTED,
          "the control group %s cannot be made: %s; in a container its mount must be writable"
              .formatted(directory, e.getMessage()));
    }
  }

  /// Returns the groups whose path matches a pattern.
  ///
  /// @param pattern path below the root, as `/proc/PID/cgroup` shows it behind `0::`; a `*` stands
  ///   for any characters but `/`
  public List<ControlGroup> find(String pattern) {
    List<Path> found = List.of(root);
    for (String name : pattern.split("/")) {
      found = found.stream().flatMap(each -> below(each, name)).toList();
    }
    return found.stream().map(ControlGroup::new).toList();
  }

  private static Stream<Path> below(Path group, String name) {
    if (!name.contains(ANY)) {
      return Stream.of(group.resolve(name)).filter(Files::isDirectory);
    }
    // A glob of Java gives a meaning to '\', '[' and '{' too, and systemd's names have '\x2d'.
    Pattern wanted =
        Pattern.compile(
            Stream.of(name.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*")));
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(group, Files::isDirectory)) {
      for (Path each : all) {
        if (wanted.matcher(String.valueOf(each.getFileName())).matches()) {
          found.add(each);
        }
      }
    } catch (IOException | DirectoryIteratorException _) {
      return Stream.of(); // the group has ended meanwhile
    }
    return found.stream();
  }
}
