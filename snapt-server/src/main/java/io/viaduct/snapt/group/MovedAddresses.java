package io.viaduct.snapt.group;

import io.viaduct.snapt.napt.PublicAddress;
import io.viaduct.snapt.reporting.DurableFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Where the public addresses are that have moved between members. An address may come to a member
/// more than once, so each has a stack of stays: from whom it came, and to whom it went. A file
/// keeps them, so that the routes outlive the process. Owner: the group's thread; it blocks on the
/// disk and on the host.
///
/// An address goes back the way it came: the last member returns it to the one before.
final class MovedAddresses {
  /// As `from`: the address is of this SNAPT's own pool. As `to`: it is here.
  static final String OWN = "-";

  /// Most stays of one address: a group of three that is upgraded in turn needs two.
  static final int STAYS_MAX = 8;

  /// One stay.
  ///
  /// @param from member that has handed the address over, [#OWN] for the first stay at its owner
  /// @param to member that it was handed to, [#OWN] while it is here
  record Stay(String from, String to) {
    boolean isHere() {
      return to.equals(OWN);
    }
  }

  private final Path file;
  private final GroupSettings settings;
  private final Host host;
  private final Map<PublicAddress, Deque<Stay>> stays = new LinkedHashMap<>();
  private final GroupCounts counts;

  /// @param file of the state directory
  MovedAddresses(Path file, GroupSettings settings, Host host, GroupCounts counts) {
    this.file = file;
    this.settings = settings;
    this.host = host;
    this.counts = counts;
  }

  /// Reads the file.
  ///
  /// @return the addresses that were here when the process ended
  /// @throws IOException if the file cannot be read, or a line is damaged
  List<PublicAddress> open() throws IOException {
    if (!Files.exists(file)) {
      return List.of();
    }
    for (String line : Files.readAllLines(file)) {
      String[] words = line.split(" ");
      if (words.length != 4) {
        throw new IOException(
            "%s: each line has 4 words, got '%s': delete the file if no session is handed over"
                .formatted(file, line));
      }
      stays
          .computeIfAbsent(PublicAddress.of(words[0], words[1]), _ -> new ArrayDeque<>())
          .addLast(new Stay(words[2], words[3]));
    }
    counts.addresses(stays.size());
    List<PublicAddress> here = new ArrayList<>();
    stays.forEach((address, of) -> {
      if (of.getLast().isHere()) {
        here.add(address);
      }
    });
    return here;
  }

  /// Leads packets for all addresses again, because the host may have restarted.
  ///
  /// @throws IOException if the host refuses a route
  void lead() throws IOException {
    for (PublicAddress each : stays.keySet()) {
      lead(each);
    }
  }

  private void lead(PublicAddress address) throws IOException {
    Deque<Stay> of = stays.get(address);
    if (of == null) {
      host.forget(address);
    } else if (of.getLast().isHere()) {
      host.here(address);
    } else {
      GroupSettings.Member to = settings.member(of.getLast().to()).orElse(null);
      if (to != null) { // otherwise it was removed from the configuration
        host.away(address, to);
      }
    }
  }

  /// Returns the addresses that have moved.
  List<PublicAddress> all() {
    return List.copyOf(stays.keySet());
  }

  /// Returns the last stay of an address, null if it has not moved.
  @Nullable Stay last(PublicAddress address) {
    Deque<Stay> of = stays.get(address);
    return of == null ? null : of.getLast();
  }

  /// Takes an address over.
  ///
  /// @param from member that has handed it over
  /// @throws IOException if the host refuses the route; nothing has then changed
  void take(PublicAddress address, String from) throws IOException {
    Deque<Stay> of = stays.get(address);
    boolean comesBack = of != null && of.getLast().to().equals(from);
    if (of != null && of.size() >= STAYS_MAX && !comesBack) {
      throw new IOException("%s has moved %d times".formatted(address, STAYS_MAX));
    }
    host.here(address);
    if (of != null && comesBack) {
      push(address, new Stay(of.removeLast().from(), OWN));
    } else {
      push(address, new Stay(from, OWN));
    }
  }

  private void push(PublicAddress address, Stay stay) throws IOException {
    stays.computeIfAbsent(address, _ -> new ArrayDeque<>()).addLast(stay);
    write();
  }

  /// Hands an address on. If it goes back to the member from which it came, nothing of it stays but
  /// the route, for what is under way; [#settle] removes it.
  ///
  /// @param to member that has taken it over
  /// @throws IOException if the host refuses the route
  void give(PublicAddress address, GroupSettings.Member to) throws IOException {
    Stay last = last(address);
    host.away(address, to);
    Deque<Stay> of = stays.get(address);
    if (last != null && last.isHere() && of != null) {
      of.removeLast();
      if (last.from().equals(to.id())) {
        ended(address, of);
      } else {
        push(address, new Stay(last.from(), to.id()));
      }
    } else {
      push(address, new Stay(OWN, to.id()));
    }
  }

  /// Takes an address back from the member that it was handed on to, to return it from here.
  ///
  /// @throws IOException if the host refuses the route
  void back(PublicAddress address) throws IOException {
    Stay last = last(address);
    Deque<Stay> of = stays.get(address);
    if (last == null || of == null) {
      throw new IllegalStateException(address + " has not moved");
    }
    of.removeLast();
    push(address, new Stay(last.from(), OWN));
    lead(address);
  }

  /// Ends the last stay of an address.
  ///
  /// @return the ended stay; its `from` is the next that must hear of it
  /// @throws IOException if the host refuses the route
  Stay leave(PublicAddress address) throws IOException {
    Deque<Stay> of = stays.get(address);
    if (of == null) {
      throw new IllegalStateException(address + " has not moved");
    }
    Stay ended = of.removeLast();
    ended(address, of);
    lead(address);
    return ended;
  }

  private void ended(PublicAddress address, Deque<Stay> of) throws IOException {
    if (of.isEmpty()) {
      stays.remove(address);
    }
    write();
  }

  /// Leads packets for an address where its last stay says.
  ///
  /// @throws IOException if the host refuses the route
  void settle(PublicAddress address) throws IOException {
    lead(address);
  }

  private void write() throws IOException {
    StringBuilder text = new StringBuilder();
    stays.forEach((address, of) -> {
      for (Stay each : of) {
        text.append(address).append(' ').append(each.from()).append(' ').append(each.to());
        text.append('\n');
      }
    });
    DurableFile.write(file, text.toString().getBytes(StandardCharsets.US_ASCII));
    counts.addresses(stays.size());
  }
}
