package io.viaduct.billing.receipts;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.viaduct.billing.receipts.MadeStatement.Step;
import io.viaduct.denarii.statement.Finding;
import io.viaduct.denarii.statement.Rule;
import io.viaduct.denarii.statement.StatementCheck;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/// Changes statements in every way, by somebody with the file and by somebody with billing's key.
class StatementTamperProperties {
  @Property(tries = 30)
  void aStatementAsItWasMadeBreaksNoRule(@ForAll long seed) {
    Random random = new Random(seed);
    List<Step> steps = MadeStatement.history(random);
    MadeStatement made = MadeStatement.of(steps, random.nextInt(9));
    StatementCheck.Result result = MadeStatement.check(made.lines(), made.roots());
    assertThat(result.findings()).isEmpty();
    assertThat(result.receipts()).isEqualTo(steps.size());
    assertThat(result.covered()).isEqualTo(steps.size());
    assertThat(result.balance()).isEqualTo(steps.stream().mapToLong(Step::amount).sum());
    long ofDevices = steps.stream().filter(Step::isByDevice).count();
    long reports = steps.stream().filter(step -> step.report() != null).count() - ofDevices;
    assertThat(result.countersigned()).isEqualTo(reports);
    assertThat(result.byDevices()).isEqualTo(reports);
    assertThat(result.ofDevices()).isEqualTo(ofDevices);
  }

  @Property(tries = 150)
  void everyChangeOfAFileIsFound(@ForAll long seed) {
    Random random = new Random(seed);
    List<String> lines =
        new ArrayList<>(MadeStatement.of(MadeStatement.history(random), random.nextInt(9)).lines());
    List<String> before = List.copyOf(lines);
    change(lines, random);
    if (!lines.equals(before)) {
      assertThat(MadeStatement.check(lines, List.of()).findings()).isNotEmpty();
    }
  }

  private static void change(List<String> lines, Random random) {
    int i = random.nextInt(lines.size());
    int j = random.nextInt(lines.size());
    switch (random.nextInt(5)) {
      case 0 -> lines.remove(i);
      case 1 -> lines.add(j, lines.get(i));
      case 2 -> Collections.swap(lines, i, j);
      case 3 -> lines.subList(Math.min(i, lines.size() - 1), lines.size()).clear();
      default -> {
        StringBuilder line = new StringBuilder(lines.get(i));
        int at = random.nextInt(line.length());
        line.setCharAt(at, (char) ('0' + (line.charAt(at) + 1 + random.nextInt(9)) % 75));
        lines.set(i, line.toString());
      }
    }
  }

  @Property(tries = 150)
  void everyOtherHistoryIsFoundByThePublishedRootEvenIfBillingSignsIt(@ForAll long seed) {
    Random random = new Random(seed);
    List<Step> steps = MadeStatement.history(random);
    int others = random.nextInt(9);
    List<PublishedRoot> published = MadeStatement.of(steps, others).roots();
    List<Step> other = new ArrayList<>(steps);
    int i = random.nextInt(steps.size());
    switch (random.nextInt(4)) {
      case 0 -> other.remove(i);
      case 1 -> other.set(i, steps.get(i).withAmount(steps.get(i).amount() + 1));
      case 2 -> other.subList(Math.max(1, i), other.size()).clear();
      default -> {
        int j = (i + 1) % steps.size();
        Step first = steps.get(i);
        Step second = steps.get(j);
        other.set(i, second.onDay(first.day()));
        other.set(j, first.onDay(second.day()));
      }
    }
    if (!other.equals(steps)) {
      MadeStatement forged = MadeStatement.of(other, others);
      assertThat(MadeStatement.check(forged.lines(), published).findings())
          .extracting(Finding::rule)
          .contains(Rule.PUBLISHED);
    }
  }

  /// A person with the file computes everything again, and signs with a key of their own.
  @Property(tries = 30)
  void aStatementThatSomebodyElseHasMadeIsNotPinnedAndFoundByTheKeyOrARoot(@ForAll long seed) {
    Random random = new Random(seed);
    List<Step> steps = MadeStatement.history(random);
    int others = random.nextInt(9);
    MadeStatement made = MadeStatement.of(steps, others);
    Set<ByteString> operator = Set.of(MadeStatement.KEY.publicKey());
    assertThat(MadeStatement.check(made.lines(), List.of()).isPinned()).isFalse();
    assertThat(MadeStatement.check(made.lines(), List.of(), operator).isPinned()).isTrue();
    assertThat(MadeStatement.check(made.lines(), made.roots()).isPinned()).isTrue();

    List<Step> dearer = new ArrayList<>(steps);
    dearer.set(0, steps.getFirst().withAmount(steps.getFirst().amount() - 1));
    boolean isTopUp = steps.getFirst().report() == null;
    StatementKey own = new StatementKey("a key of somebody else, 32 bytes".getBytes(US_ASCII));
    MadeStatement forged = MadeStatement.of(isTopUp ? dearer : steps, others, own);
    StatementCheck.Result alone = MadeStatement.check(forged.lines(), List.of());
    assertThat(alone.findings()).isEmpty();
    assertThat(alone.isPinned()).isFalse();
    assertThat(alone.billingKeys()).containsExactly(own.publicKey());
    assertThat(MadeStatement.check(forged.lines(), List.of(), operator).findings())
        .extracting(Finding::rule)
        .contains(Rule.KEY);
    if (isTopUp) {
      assertThat(MadeStatement.check(forged.lines(), made.roots()).findings())
          .extracting(Finding::rule)
          .contains(Rule.PUBLISHED);
    }
  }

  @Example
  void aRootThatDoesNotCoverTheLastReceiptPinsNothing() {
    List<Step> steps =
        Stream.iterate(1L, seed -> seed + 1)
            .map(seed -> MadeStatement.history(new Random(seed)))
            .filter(history -> history.getLast().day() > 0)
            .findFirst()
            .orElseThrow();
    MadeStatement made = MadeStatement.of(steps, 3);
    List<PublishedRoot> first = made.roots().subList(0, 1);
    assertThat(MadeStatement.check(made.lines(), first).findings()).isEmpty();
    assertThat(MadeStatement.check(made.lines(), first).isPinned()).isFalse();
    assertThat(MadeStatement.check(made.lines(), made.roots().reversed().subList(0, 1)).isPinned())
        .isTrue();
  }

  private static final Random SEED = new Random(7);
  private static final List<String> FILE = MadeStatement.of(MadeStatement.history(SEED), 3).lines();

  private static int receiptLine(int number) {
    for (int i = 0; i < FILE.size(); i++) {
      if (FILE.get(i).contains("\"type\":\"receipt\",\"number\":\"" + number + "\"")) {
        return i;
      }
    }
    throw new AssertionError("no receipt " + number);
  }

  private static Finding first(List<String> lines) {
    return MadeStatement.check(lines, List.of()).findings().getFirst();
  }

  @Example
  void aFindingNamesTheLineAndTheRule() {
    List<String> without = new ArrayList<>(FILE);
    int second = receiptLine(2);
    without.remove(second);
    assertThat(first(without))
        .isEqualTo(new Finding(second + 1, Rule.NUMBER, "receipt 2 is missing"));

    List<String> moved = new ArrayList<>(FILE);
    moved.add(second, moved.get(receiptLine(1)));
    assertThat(first(moved))
        .isEqualTo(
            new Finding(
                second + 1,
                Rule.NUMBER,
                "receipt 1 stands after receipt 1: it is repeated or moved"));

    List<String> changed = new ArrayList<>(FILE);
    changed.set(second, FILE.get(second).replaceFirst("\"note\":\"note\"", "\"note\":\"other\""));
    assertThat(first(changed))
        .isEqualTo(
            new Finding(second + 1, Rule.HASH, "receipt 2 is not what its hash was made of"));

    assertThat(first(FILE.subList(0, FILE.size() - 1)))
        .isEqualTo(new Finding(0, Rule.END, "the last line is missing: the file was cut off"));
  }
}
