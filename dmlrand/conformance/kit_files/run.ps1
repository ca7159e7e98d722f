# Runs every model file of the conformance kit with DxDispatch. README.md has the instructions.
if ($args.Count -eq 0) {
    Write-Output 'usage: run.ps1 C:\full\path\dxdispatch.exe [options of DxDispatch, such as -a "Basic Render"]'
    exit 2
}
Set-Location $PSScriptRoot
New-Item -ItemType Directory -Force outputs | Out-Null
$program, $options = $args
foreach ($model in Get-ChildItem models\*.json) {
    $name = $model.BaseName
    Write-Output $name
    Remove-Item "outputs\$name.*" -ErrorAction SilentlyContinue
    & $program @options "models\$($model.Name)" 2>&1 | Out-File -Encoding utf8 "outputs\$name.txt"
    Add-Content -Encoding utf8 "outputs\$name.txt" "exit code $LASTEXITCODE"
}
exit 0
