package io.viaduct.cnapt.classification;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/// A set of numbers, as sorted ranges with a gap between each two: ports, protocols, or addresses
/// as [AddressNumbers]. Immutable.
public final class NumberSet {
  /// The numbers from `first` to `last`, both included.
  public record Range(BigInteger first, BigInteger last) {}

  private final Range[] ranges;

  private NumberSet(List<Range> ranges) {
    this.ranges = ranges.toArray(Range[]::new);
  }

  /// Returns the numbers from `first` to `last`, both included.
  public static NumberSet of(long first, long last) {
    return of(List.of(new Range(BigInteger.valueOf(first), BigInteger.valueOf(last))));
  }

  /// Returns the numbers of all the ranges, which may overlap.
  public static NumberSet of(List<Range> ranges) {
    List<Range> merged = new ArrayList<>();
    for (Range each : ranges.stream().sorted(Comparator.comparing(Range::first)).toList()) {
      Range before = merged.isEmpty() ? null : merged.getLast();
      if (before == null || each.first.compareTo(before.last.add(BigInteger.ONE)) > 0) {
        merged.add(each);
      } else {
        merged.set(merged.size() - 1, new Range(before.first, before.last.max(each.last)));
      }
    }
    return new NumberSet(merged);
  }

  /// Returns the numbers of port ranges.
  public static NumberSet ofPorts(List<PortRange> ports) {
    return of(
        ports.stream()
            .map(each ->
                new Range(BigInteger.valueOf(each.first()), BigInteger.valueOf(each.last())))
            .toList());
  }

  /// Returns the numbers that either set has.
  public NumberSet or(NumberSet other) {
    return of(Stream.concat(Arrays.stream(ranges), Arrays.stream(other.ranges)).toList());
  }

  /// Returns whether the set has no number.
  public boolean isEmpty() {
    return ranges.length == 0;
  }

  /// Returns the number of ranges: the work of an operation grows with it.
  public int size() {
    return ranges.length;
  }

  /// Returns whether both sets have a number in common.
  public boolean meets(NumberSet other) {
    int own = 0;
    int others = 0;
    while (own < ranges.length && others < other.ranges.length) {
      Range one = ranges[own];
      Range two = other.ranges[others];
      if (one.last.compareTo(two.first) < 0) {
        own++;
      } else if (two.last.compareTo(one.first) < 0) {
        others++;
      } else {
        return true;
      }
    }
    return false;
  }

  /// Returns the numbers that both sets have.
  public NumberSet and(NumberSet other) {
    List<Range> common = new ArrayList<>();
    int own = 0;
    int others = 0;
    while (own < ranges.length && others < other.ranges.length) {
      Range one = ranges[own];
      Range two = other.ranges[others];
      BigInteger first = one.first.max(two.first);
      BigInteger last = one.last.min(two.last);
      if (first.compareTo(last) <= 0) {
        common.add(new Range(first, last));
      }
      if (one.last.compareTo(two.last) < 0) {
        own++;
      } else {
        others++;
      }
    }
    return new NumberSet(common);
  }

  /// Returns the numbers that the other set does not have.
  public NumberSet minus(NumberSet other) {
    List<Range> left = new ArrayList<>();
    int others = 0;
    for (Range one : ranges) {
      BigInteger from = one.first;
      while (others < other.ranges.length && other.ranges[others].last.compareTo(from) < 0) {
        others++;
      }
      for (int i = others;
          i < other.ranges.length && other.ranges[i].first.compareTo(one.last) <= 0;
          i++) {
        if (from.compareTo(other.ranges[i].first) < 0) {
          left.add(new Range(from, other.ranges[i].first.subtract(BigInteger.ONE)));
        }
        from = from.max(other.ranges[i].last.add(BigInteger.ONE));
      }
      if (from.compareTo(one.last) <= 0) {
        left.add(new Range(from, one.last));
      }
    }
    return new NumberSet(left);
  }

  /// Returns whether the set has a number.
  public boolean has(BigInteger number) {
    return Arrays.stream(ranges)
        .anyMatch(each -> each.first.compareTo(number) <= 0 && number.compareTo(each.last) <= 0);
  }

  /// Returns this number if the set has it, else the least one of the set.
  ///
  /// @throws IllegalStateException if the set is empty
  public BigInteger anyOrLeast(BigInteger preferred) {
    if (isEmpty()) {
      throw new IllegalStateException("an empty set has no number");
    }
    return has(preferred) ? preferred : ranges[0].first;
  }

  @Override
  public String toString() {
    return Arrays.toString(ranges);
  }
}
