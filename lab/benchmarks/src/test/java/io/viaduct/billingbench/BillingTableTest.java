package io.viaduct.billingbench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.viaduct.testbed.report.MeasuredRows;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BillingTableTest {
  @TempDir private Path folder;

  @Test
  void theTableJudgesMediansAndLeavesOutWhatWasNotMeasured() throws Exception {
    MeasuredRows rows = MeasuredRows.open(folder.resolve("rows.jsonl"), Map.of(), false);
    for (double rate : new double[] {20_000, 40_000, 36_000}) {
      rows.add("post@100", rate);
      rows.add("copy@100", 80_000);
    }
    List<BillingTable.Line> lines = BillingTable.of(rows, List.of(100L, 1_000L));
    assertThat(lines)
        .extracting(BillingTable.Line::row)
        .containsExactly("post@100", "copy@100", "share@100");
    assertThat(lines.getFirst().goal()).get().asString().contains("36000.00 won");
    assertThat(lines.getLast().goal()).get().asString().contains("0.45 LOST");
  }

  @Test
  void whatASustainedLoadHasLeftUndoneIsInTheTable() throws Exception {
    MeasuredRows rows = MeasuredRows.open(folder.resolve("rows.jsonl"), Map.of(), false);
    rows.add("sustained, receipts", 120);
    rows.add("sustained, unsettled", 0);
    rows.add("sustained", 15_000);
    assertThat(BillingTable.of(rows, List.of(100L)))
        .extracting(BillingTable.Line::row, BillingTable.Line::median)
        .containsExactly(
            tuple("sustained", 15_000.0),
            tuple("sustained, receipts", 120.0),
            tuple("sustained, unsettled", 0.0));
  }

  @Test
  void ratesAndReadsAreJudgedAcrossSizes() throws Exception {
    MeasuredRows rows = MeasuredRows.open(folder.resolve("rows.jsonl"), Map.of(), false);
    rows.add("post@100", 40_000);
    rows.add("post@1000", 38_000);
    rows.add("balance@100", 2.0);
    rows.add("balance@1000", 2.1);
    rows.add("charges@100", 5.0);
    rows.add("charges@1000", 6.0);
    rows.add("statement@100", 4.0);
    Map<String, String> spreads = new HashMap<>();
    for (BillingTable.Line line : BillingTable.of(rows, List.of(100L, 1_000L))) {
      if (line.row().endsWith("spread")) {
        spreads.put(line.row(), line.goal().orElseThrow().toString());
      }
    }
    assertThat(spreads).containsOnlyKeys("spread", "balance spread", "charges spread");
    assertThat(spreads.get("spread")).contains("1.05 won");
    assertThat(spreads.get("balance spread")).contains("1.05 won");
    assertThat(spreads.get("charges spread")).contains("1.20 LOST");
  }
}
