package io.viaduct.billingbench;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.report.MeasuredRows;
import java.nio.file.Path;
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
}
