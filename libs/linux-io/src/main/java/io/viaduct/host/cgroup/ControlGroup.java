package io.viaduct.host.cgroup;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;

/// A control group of version 2, which is a directory. It may end at any time, and a group of the
/// same name may follow it.
public record ControlGroup(Path directory) {
  private static final String PROCESSES = "cgroup.procs";

  /// Moves a process into the group, with all its threads. Processes that it starts from then on
  /// are in the group too; those that it has started before are not.
  ///
  /// @throws ControlGroupException if the process does not exist, or the right is missing
  public void add(long process) throws ControlGroupException {
    try {
      Files.writeString(
          directory.resolve(PROCESSES), Long.toString(process), StandardOpenOption.WRITE);
    } catch (AccessDeniedException _) {
      throw new ControlGroupException(
          ControlGroupException.Reason.NO_PERMISSION,
          "process %d may not be moved into the control group %s: run this command as root"
              .formatted(process, directory));
    } catch (IOException e) {
      throw new ControlGroupException(
          ControlGroupException.Reason.UNSUPPORTED,
          "process %d cannot be moved into the control group %s: %s"
              .formatted(process, directory, e.getMessage()));
    }
  }

  /// Returns the number of processes in the group and in those below it; 0 if it has ended.
  public int processes() {
    try (DirectoryStream<Path> below = Files.newDirectoryStream(directory, Files::isDirectory)) {
      int count = Files.readAllLines(directory.resolve(PROCESSES)).size();
      for (Path each : below) {
        count += new ControlGroup(each).processes();
      }
      return count;
    } catch (IOException | DirectoryIteratorException _) {
      return 0;
    }
  }

  /// Returns a key that no later group of the same name has.
  ///
  /// @throws IOException if the group has ended
  public Object identity() throws IOException {
    Object key = Files.readAttributes(directory, BasicFileAttributes.class).fileKey();
    return key == null ? directory : key;
  }

  /// Returns false if the group has ended.
  public boolean exists() {
    return Files.isDirectory(directory);
  }

  /// Removes the group, if no process is in it.
  public void removeIfEmpty() {
    try {
      Files.deleteIfExists(directory);
    } catch (IOException _) {
      // It has processes, and stays for them.
    }
  }
}
