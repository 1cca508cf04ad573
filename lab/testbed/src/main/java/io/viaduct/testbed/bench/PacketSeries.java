package io.viaduct.testbed.bench;

import java.util.BitSet;

/// Arithmetic over the numbered packets of one direction. All times are on one clock.
///
/// @param sentNs time of departure by number
/// @param numbers of the packets in the order of arrival, copies included
/// @param arrivedNs time of each arrival, never decreasing
record PacketSeries(long[] sentNs, int[] numbers, long[] arrivedNs) {
  /// Returns the longest time without a packet that ends in `(fromNs, untilNs]`, whole also if it
  /// began before. A silence that lasts until the end counts up to the end.
  long silenceNs(long fromNs, long untilNs) {
    long longest = 0;
    long lastNs = Long.MIN_VALUE;
    for (long arrival : arrivedNs) {
      if (arrival - untilNs > 0) {
        break;
      }
      if (arrival - fromNs > 0 && lastNs != Long.MIN_VALUE) {
        longest = Math.max(longest, arrival - lastNs);
      }
      lastNs = arrival;
    }
    return lastNs == Long.MIN_VALUE ? untilNs - fromNs : Math.max(longest, untilNs - lastNs);
  }

  /// Returns the outage of an event: the longest silence from the event to the end, less the
  /// longest silence of the steady time before the event. Never negative.
  ///
  /// @param steadyFromNs begin of the steady time; packets must have arrived before it
  long outageNs(long steadyFromNs, long eventNs, long untilNs) {
    long steady = 0;
    long lastNs = Long.MIN_VALUE;
    for (long arrival : arrivedNs) {
      if (arrival - eventNs > 0) {
        break;
      }
      if (lastNs != Long.MIN_VALUE && arrival - steadyFromNs > 0) {
        steady = Math.max(steady, arrival - lastNs);
      }
      lastNs = arrival;
    }
    return Math.max(0, silenceNs(eventNs, untilNs) - steady);
  }

  /// Returns how many packets that left in `[fromNs, untilNs)` never arrived.
  int lost(long fromNs, long untilNs) {
    var seen = new BitSet(sentNs.length);
    for (int number : numbers) {
      seen.set(number);
    }
    int lost = 0;
    for (int number = 0; number < sentNs.length; number++) {
      boolean counts = sentNs[number] - fromNs >= 0 && sentNs[number] - untilNs < 0;
      lost += counts && !seen.get(number) ? 1 : 0;
    }
    return lost;
  }

  /// Returns how many packets arrived that had arrived before.
  int duplicated() {
    var seen = new BitSet(sentNs.length);
    int duplicated = 0;
    for (int number : numbers) {
      duplicated += seen.get(number) ? 1 : 0;
      seen.set(number);
    }
    return duplicated;
  }

  /// Returns the longest time by which a packet came later than the first packet with a higher
  /// number: the late time of RFC 4737, section 4.3. Copies do not count.
  long reorderingNs() {
    var seen = new BitSet(sentNs.length);
    // Arrivals with rising numbers: the first packet above a number is found among them.
    var peaks = new java.util.TreeMap<Integer, Long>();
    long latest = 0;
    for (int at = 0; at < numbers.length; at++) {
      int number = numbers[at];
      if (seen.get(number)) {
        continue;
      }
      seen.set(number);
      var above = peaks.higherEntry(number);
      if (above == null) {
        peaks.put(number, arrivedNs[at]);
      } else {
        latest = Math.max(latest, arrivedNs[at] - above.getValue());
      }
    }
    return latest;
  }
}
