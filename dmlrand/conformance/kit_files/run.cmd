@echo off
rem Runs every model file of the conformance kit with DxDispatch. README.md has the instructions.
if "%~1"=="" (
    echo usage: run.cmd C:\full\path\dxdispatch.exe [options of DxDispatch, such as -a "Basic Render"]
    exit /b 2
)
cd /d "%~dp0"
if not exist outputs mkdir outputs
set "command=%*"
for %%f in (models\*.json) do call :run "%%f" "%%~nf"
exit /b 0

:run
echo %~2
if exist "outputs\%~2.*" del /q "outputs\%~2.*"
%command% %1 > "outputs\%~2.txt" 2>&1
>> "outputs\%~2.txt" echo exit code %errorlevel%
exit /b 0
